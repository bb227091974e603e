"""Starts the ranks of one run on this machine, as a launcher does. usage: ranks_side.py RANKS PORT COMMAND..."""

import os
import subprocess
import sys


def main(ranks, port, command):
    common = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(ranks),
              "LOCAL_WORLD_SIZE": str(ranks)}
    started = [subprocess.Popen(command, env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)})
               for rank in range(ranks)]
    return max(rank.wait() for rank in started)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
