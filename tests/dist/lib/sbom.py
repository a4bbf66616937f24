"""sbom.py SBOM [LOCK FOLDER]: what is wrong with a CycloneDX 1.5 document, one line a fault; status 1
if anything is. The rules are those of the specification that the document can break; with LOCK
(sources.lock) and FOLDER (of the files that it lists) also whether it tells the truth."""
import hashlib
import json
import os
import re
import sys
from urllib.parse import unquote

faults = []

TYPES = ('application framework library container platform operating-system device device-driver '
         'firmware file machine-learning-model data').split()
COMPONENT_KEYS = ('type mime-type bom-ref supplier author publisher group name version description '
                  'scope hashes licenses copyright cpe purl swid modified pedigree externalReferences '
                  'components evidence releaseNotes modelCard data properties signature').split()
ROOT_KEYS = ('$schema bomFormat specVersion serialNumber version metadata components services '
             'externalReferences dependencies compositions vulnerabilities annotations formulation '
             'properties signature').split()
HASHES = {'MD5': 32, 'SHA-1': 40, 'SHA-256': 64, 'SHA-384': 96, 'SHA-512': 128}
# The identifiers of the SPDX list that may occur here; a new one is looked up and added.
SPDX = {'MIT', 'GPL-2.0-only', 'GPL-3.0-or-later'}
SPDX_WITH = {'Linux-syscall-note', 'GCC-exception-3.1'}


def fault(where, what):
    faults.append(f'{where}: {what}')


def keys(where, thing, known, required=()):
    """An object with these keys only; False where it is none."""
    if not isinstance(thing, dict):
        fault(where, 'is no object')
        return False
    for key in thing:
        if key not in known:
            fault(where, f'unknown key {key}')
    for key in required:
        if key not in thing:
            fault(where, f'lacks {key}')
    return True


def items(where, thing):
    if not isinstance(thing, list):
        fault(where, 'is no array')
        return []
    if len({json.dumps(x, sort_keys=True) for x in thing}) != len(thing):
        fault(where, 'has the same element twice')
    return thing


def text(where, thing, pattern=r'.+'):
    if not isinstance(thing, str) or not re.fullmatch(pattern, thing):
        fault(where, f'is not of the form {pattern}: {thing!r}')
        return False
    return True


def check_hash(where, h):
    if keys(where, h, ('alg', 'content'), ('alg', 'content')):
        if h.get('alg') not in HASHES:
            fault(where, f'unknown algorithm {h.get("alg")}')
        else:
            text(where, h.get('content'), '[a-fA-F0-9]{%d}' % HASHES[h['alg']])


def check_expression(where, expression):
    words = expression.split(' ')
    if words[0] not in SPDX or len(words) not in (1, 3) or \
            (len(words) == 3 and (words[1] != 'WITH' or words[2] not in SPDX_WITH)):
        fault(where, f'no SPDX expression: {expression}')


def check_licences(where, licences):
    licences = items(where, licences)
    for choice in licences:
        if not isinstance(choice, dict) or len(choice) != 1 or \
                not set(choice) <= {'license', 'expression'}:
            fault(where, 'each is one license or one expression')
        elif 'expression' in choice:
            check_expression(where, choice['expression'])
            if len(licences) != 1:
                fault(where, 'an expression stands alone')
        else:
            licence = choice['license']
            if keys(where, licence, ('bom-ref', 'id', 'name', 'text', 'url', 'licensing', 'properties')):
                if ('id' in licence) == ('name' in licence):
                    fault(where, 'either id or name')
                if 'id' in licence and licence['id'] not in SPDX:
                    fault(where, f'no SPDX identifier: {licence["id"]}')


def parse_purl(where, purl):
    """type, namespace, name, version, qualifiers; None where it is none."""
    m = re.fullmatch(r'pkg:([a-z][a-z0-9.-]*)/(?:([A-Za-z0-9._~%-]+)/)?([A-Za-z0-9._~%-]+)'
                     r'@([A-Za-z0-9._~%:-]+)(?:\?([a-z0-9_.-]+=[A-Za-z0-9._~%:-]+'
                     r'(?:&[a-z0-9_.-]+=[A-Za-z0-9._~%:-]+)*))?', str(purl))
    if not m:
        fault(where, f'no purl: {purl}')
        return None
    pairs = [q.split('=', 1) for q in (m[5] or '').split('&') if q]
    if [k for k, _ in pairs] != sorted({k for k, _ in pairs}):
        fault(where, 'qualifiers of the purl are not sorted')
    return m[1], m[2], unquote(m[3]), unquote(m[4]), {k: unquote(v) for k, v in pairs}


def check_component(where, c, refs):
    if not keys(where, c, COMPONENT_KEYS, ('type', 'name')):
        return
    where = f'{where} {c.get("name")}'
    if c.get('type') not in TYPES:
        fault(where, f'unknown type {c.get("type")}')
    text(where, c.get('name'))
    if 'version' in c:
        text(where, c['version'])
    if 'scope' in c and c['scope'] not in ('required', 'optional', 'excluded'):
        fault(where, f'unknown scope {c["scope"]}')
    if 'bom-ref' in c and text(where, c['bom-ref']):
        if c['bom-ref'] in refs:
            fault(where, 'its bom-ref is another one too')
        refs.add(c['bom-ref'])
    for h in items(where, c.get('hashes', [])):
        check_hash(where, h)
    check_licences(where, c.get('licenses', []))
    if 'purl' in c:
        parse_purl(where, c['purl'])
    for p in items(where, c.get('properties', [])):
        if keys(where, p, ('name', 'value')):
            text(where, p.get('name'))
            text(where, p.get('value'))
    for part in items(where, c.get('components', [])):
        check_component(where + ':', part, refs)


def check_form(bom):
    refs = set()
    if not keys('document', bom, ROOT_KEYS, ('bomFormat', 'specVersion', 'version')):
        return
    if bom.get('bomFormat') != 'CycloneDX':
        fault('bomFormat', 'is not CycloneDX')
    if bom.get('specVersion') != '1.5':
        fault('specVersion', 'is not 1.5')
    if type(bom.get('version')) is not int or bom['version'] < 1:
        fault('version', 'is no number from 1')
    h = '[0-9a-f]'
    text('serialNumber', bom.get('serialNumber', ''),
         f'urn:uuid:{h}{{8}}-{h}{{4}}-8{h}{{3}}-[89ab]{h}{{3}}-{h}{{12}}')
    metadata = bom.get('metadata', {})
    if keys('metadata', metadata, ('timestamp', 'tools', 'authors', 'component', 'manufacture',
                                   'supplier', 'licenses', 'lifecycles', 'properties'), ('component',)):
        check_component('metadata:', metadata.get('component'), refs)
    for c in items('components', bom.get('components', [])):
        check_component('components:', c, refs)
    seen = set()
    for d in items('dependencies', bom.get('dependencies', [])):
        if keys('dependencies', d, ('ref', 'dependsOn'), ('ref',)):
            for ref in [d.get('ref')] + items('dependencies', d.get('dependsOn', [])):
                if ref not in refs:
                    fault('dependencies', f'nothing has the bom-ref {ref}')
            if d.get('ref') in seen:
                fault('dependencies', f'{d["ref"]} twice')
            seen.add(d.get('ref'))


def sha256_of(path):
    with open(path, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def check_source(c, columns):
    """One component against its line of sources.lock."""
    name, version, suite, package, code, upstream, patches, licence = columns
    where = f'truth: {name}'
    want = {'sbx:upstream-sha256': upstream, 'sbx:patches-sha256': patches}
    if c.get('name') != package or c.get('version') != version:
        fault(where, f'is {c.get("name")} {c.get("version")}, not {package} {version}')
    if c.get('hashes') != [{'alg': 'SHA-256', 'content': code}]:
        fault(where, 'has not the pinned checksum')
    if {p['name']: p['value'] for p in c.get('properties', [])} != \
            {k: v for k, v in want.items() if v != '-'}:
        fault(where, 'has not the other pinned checksums')
    choice = (c.get('licenses') or [{}])[0]
    if (choice.get('expression') or choice.get('license', {}).get('id')) != licence.replace('_', ' '):
        fault(where, f'has another licence than {licence}')
    purl = parse_purl(where, c.get('purl'))
    kind = 'all' if name == 'headers' else 'source'
    if purl and purl != ('deb', 'debian', package, version, {'arch': kind, 'distro': suite}):
        fault(where, f'has another purl: {purl}')


def check_truth(bom, lock, folder):
    with open(lock, encoding='utf-8') as f:
        rows = [line.split() for line in f if re.match('[a-z]', line)]
    have = {c.get('bom-ref'): c for c in bom.get('components', [])}
    for row in rows:
        if row[0] in have:
            check_source(have[row[0]], row)
        else:
            fault('truth', f'{row[0]} is not there')
    others = sorted(ref for ref in have if ref not in {row[0] for row in rows})
    if not others or not all(ref.startswith('libgcc-') for ref in others):
        fault('truth', f'beside the pinned sources only libgcc is in it, not {others}')
    needed = set(bom['dependencies'][0]['dependsOn'])
    if needed != {ref for ref, c in have.items() if c.get('scope') == 'required'}:
        fault('truth', 'what is required is not what the program depends on')
    files = {c['name']: c['hashes'][0]['content'] for c in bom['metadata']['component']['components']}
    real = sorted(n for n in os.listdir(folder) if n.startswith('sbx-linux-'))
    if sorted(files) != real:
        fault('truth', f'the files are {real}, not {sorted(files)}')
    for name in real:
        if files.get(name) != sha256_of(os.path.join(folder, name)):
            fault('truth', f'{name} has another checksum')


def main():
    try:
        with open(sys.argv[1], encoding='utf-8') as f:
            bom = json.load(f)
    except ValueError as e:
        print(f'document: {e}')
        sys.exit(1)
    check_form(bom)
    if len(sys.argv) > 2 and not faults:
        check_truth(bom, *sys.argv[2:])
    for line in faults:
        print(line)
    sys.exit(bool(faults))


main()
