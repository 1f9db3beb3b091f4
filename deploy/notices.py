#!/usr/bin/env python3
"""Prints the notices of third parties as Markdown, from a CycloneDX SBOM in JSON."""
import json
import sys


def licences(component):
    names = []
    for entry in component.get("licenses", []):
        licence = entry.get("license", {})
        names.append(entry.get("expression") or licence.get("id") or licence.get("name") or "?")
    return ", ".join(names) or "see its page"


def page(component):
    for kind in ("website", "vcs"):
        for reference in component.get("externalReferences", []):
            if reference["type"] == kind:
                return reference["url"]
    return ""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        components = json.load(file)["components"]
    print("# Notices of third parties\n\nFairgate contains these libraries, each under its own licence.\n")
    print("| library | version | licence | page |\n|---|---|---|---|")
    rows = set()
    for component in components:
        group = component.get("group", "")
        if group != "io.fairgate":
            name = f"{group}:{component['name']}" if group else component["name"]
            rows.add((name, component.get("version", ""), licences(component), page(component)))
    for row in sorted(rows):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
