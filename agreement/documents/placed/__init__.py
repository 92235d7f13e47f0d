"""TOML and JSON checked by models: a message says where, what was found, what is accepted."""

from agreement.documents.placed.data import KeyPath, PlacedData, check_data, checked_at
from agreement.documents.placed.toml_text import fields_of, json_schema, read_toml
