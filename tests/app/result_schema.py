"""Holds results to the schemas in docs/schema, and allows no key that they do not know."""
import json
from pathlib import Path

try:
    import jsonschema
except ImportError:  # as in the roots of .ci/torch
    jsonschema = None

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schema"


def closed(schema):
    """The same schema, and every object has only the properties that it names."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {**{key: closed(part) for key, part in schema.items()},
            **({"additionalProperties": False} if "properties" in schema and "required" in schema else {})}


def describes(result):
    """Whether there is a schema for it: for results of run, wrap, top, sim and doctor."""
    return (SCHEMAS / f"{result.get('format')}.schema.json").exists()


def faults_of(result):
    """Each fault with its place, as text."""
    if jsonschema is None:
        return []
    schema = closed(json.loads((SCHEMAS / f"{result['format']}.schema.json").read_text()))
    jsonschema.Draft202012Validator.check_schema(schema)
    found = jsonschema.Draft202012Validator(schema).iter_errors(result)
    return [f"{'/'.join(map(str, fault.path))}: {fault.message}" for fault in found]
