"""Makes completions for bash, zsh and fish from a program's own --help.

usage: completions.py PROGRAM SHARE
"""
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Names, perhaps what the option takes, and its help, on this line or the next.
OPTION = re.compile(r"^  (-[-.\w]+(?:,-[-.\w]+)*)(?: (?!Excludes)([A-Z]\S*))?(?: \.\.\.)?(?: REQUIRED)?(?: Excludes:(?: -\S+)*)?"
                    r"(?:  +(.*))?$")
VERB = re.compile(r"^  (\w+)  +(\S.*)$")
FOLLOWED_BY_A_COMMAND = ("wrap", "doctor")
COMMENT = "# Completions of sluice, made from its --help.\n"


@dataclass
class Option:
    names: list
    takes: str  # "FILE", "N", ...; empty: nothing
    choices: list
    help: str

    @property
    def takes_file(self):
        return self.takes in ("FILE", "DIR")


@dataclass
class Verb:
    words: str  # "run", "data make"; empty: the program itself
    options: list
    verbs: list  # (word, help)

    @property
    def key(self):
        return self.words.replace(" ", "_") or "top_level"

    def names(self, which=lambda option: True):
        return [name for option in self.options if which(option) for name in option.names]


def section(text, title):
    found = re.search(rf"^{title}:\n((?:.+\n)*)", text + "\n", re.MULTILINE)
    return found.group(1).splitlines() if found else []


def options_of(text):
    options = []
    for line in section(text, "Options"):
        if found := OPTION.match(line):
            takes = found[2] or ""
            choices = re.search(r"\{(.*)\}", takes)
            options.append(Option(found[1].split(","), re.sub(r"[^A-Z].*", "", takes), choices[1].split(",") if choices else [],
                                  found[3] or ""))
        elif options and not options[-1].help:
            options[-1].help = line.strip()
    return options


def read(program, words=""):
    """This verb and all below it."""
    text = subprocess.run([program, *words.split(), "--help"], check=True, capture_output=True, text=True).stdout
    verbs = [found.groups() for line in section(text, "Subcommands") if (found := VERB.match(line))]
    yield Verb(words, options_of(text), verbs)
    for word, _ in verbs:
        yield from read(program, f"{words} {word}".strip())


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash_values(verb):
    """What comes behind an option that takes something."""
    for option in verb.options:
        if option.takes:
            pattern = "|".join(quoted(f"{verb.key} {name}") for name in option.names)
            what = "-f" if option.takes_file else f"-W {quoted(' '.join(option.choices))}"
            yield f'        {pattern}) COMPREPLY=($(compgen {what} -- "$cur")); return ;;\n'


def bash(verbs):
    words = "".join(
        f"        {verb.key}) options={quoted(' '.join(verb.names()))} "
        f"verbs={quoted(' '.join(word for word, _ in verb.verbs))} ;;\n"
        for verb in verbs
    )
    valued = "|".join(quoted(f"{verb.key} {name}") for verb in verbs for name in verb.names(lambda option: option.takes))
    values = "".join(line for verb in verbs for line in bash_values(verb))
    known = "|".join(quoted(verb.words) for verb in verbs if verb.words)
    commands = "|".join(FOLLOWED_BY_A_COMMAND)
    return f"""{COMMENT}_sluice() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} verb= key=top_level options= verbs= i word
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        case "${{verb:+$verb }}$word" in
            {known}) verb="${{verb:+$verb }}$word" key=${{verb// /_}}; continue ;;
        esac
        case "$key $word" in
            {valued}) i=$((i + 1)); continue ;;
        esac
        case $key in {commands}) ;; *) continue ;; esac
        case $word in
            --) i=$((i + 1)) ;;
            -*) continue ;;
        esac
        # The command of somebody else.
        if declare -F _command_offset >/dev/null; then
            _command_offset "$i"
        else
            COMPREPLY=($(compgen -c -f -- "$cur"))
        fi
        return
    done
    case "$key ${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}    esac
    case $key in
{words}    esac
    case $cur in
        -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
        *) if [ -n "$verbs" ]; then COMPREPLY=($(compgen -W "$verbs" -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi ;;
    esac
}}
complete -o filenames -F _sluice sluice
"""


def zsh_option(option):
    text = re.sub(r"([\[\]:\\])", r"\\\1", option.help)
    action = "_files" if option.takes_file else f"({' '.join(option.choices)})" if option.choices else " "
    value = f":{option.takes}:{action}" if option.takes else ""
    return " ".join(quoted(f"*{name}[{text}]{value}") for name in option.names)


def zsh_function(verb):
    options = " ".join(zsh_option(option) for option in verb.options)
    if not verb.verbs:
        rest = "'*:: :_normal'" if verb.words in FOLLOWED_BY_A_COMMAND else "'*: :_files'"
        return f"_sluice_{verb.key}() {{\n    _arguments {options} {rest}\n}}\n"
    below = "" if not verb.words else verb.key + "_"
    listed = " ".join(quoted(f"{word}:{text}") for word, text in verb.verbs)
    cases = "".join(f"            {word}) _sluice_{below}{word} ;;\n" for word, _ in verb.verbs)
    return f"""_sluice_{verb.key}() {{
    local curcontext=$curcontext state line
    local -a verbs
    verbs=({listed})
    _arguments -C {options} '1: :->verb' '*:: :->rest' && return
    case $state in
        verb) _describe verb verbs ;;
        rest) case $words[1] in
{cases}        esac ;;
    esac
}}
"""


def zsh(verbs):
    return "#compdef sluice\n" + COMMENT + "".join(zsh_function(verb) for verb in verbs) + '_sluice_top_level "$@"\n'


def fish_option(condition, option):
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = " -r -F" if option.takes_file else f" -x -a {quoted(' '.join(option.choices))}" if option.takes else ""
    return f"complete -c sluice -n {quoted(condition)} {names}{value} -d {quoted(option.help)}\n"


def fish_verb(verb):
    seen = [f"__fish_seen_subcommand_from {word}" for word in verb.words.split()]
    none_below = [f"not __fish_seen_subcommand_from {' '.join(word for word, _ in verb.verbs)}"] if verb.verbs else []
    condition = "; and ".join(seen + none_below)
    for word, text in verb.verbs:
        yield f"complete -c sluice -n {quoted(condition)} -f -a {word} -d {quoted(text)}\n"
    for option in verb.options:
        yield fish_option(condition, option)
    if verb.words in FOLLOWED_BY_A_COMMAND:
        yield f"complete -c sluice -n {quoted(condition)} -x -a '(__fish_complete_subcommand)'\n"


def fish(verbs):
    return COMMENT + "".join(line for verb in verbs for line in fish_verb(verb))


def main(arguments):
    program, share = arguments[0], Path(arguments[1])
    verbs = list(read(program))
    for path, text in (("bash-completion/completions/sluice", bash(verbs)), ("zsh/site-functions/_sluice", zsh(verbs)),
                       ("fish/vendor_completions.d/sluice.fish", fish(verbs))):
        (share / path).parent.mkdir(parents=True, exist_ok=True)
        (share / path).write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
