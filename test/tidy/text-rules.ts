/** Rules about every text file of the project, code or not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { computeCheckDigit } from '../../src/core/proxy-id.ts';
import { listFiles, projectRoot, toProjectPath } from './source.ts';
import type { Finding } from './source.ts';

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

const folders = ['src', 'test', 'docs', 'config', 'samples', '.ci'];
const rootFiles = [
  'README.md',
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'knip.json',
];

export function readTextFiles(): TextFile[] {
  const inFolders = folders.flatMap((folder) => listFiles(join(projectRoot, folder)));
  const files = [...inFolders, ...rootFiles.map((name) => join(projectRoot, name))];
  return files.map((file) => ({ path: toProjectPath(file), text: readFileSync(file, 'utf8') }));
}

function matchLines({ path, text }: TextFile, pattern: RegExp, what: (match: string) => string): Finding[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      Array.from(line.matchAll(pattern), ([match]) => ({ path, line: index + 1, what: what(match) })),
    );
}

/** Places that exist on one machine only, and hosts that packages happened to come from. */
const foreignPlaces =
  /(?<![\w./-])\/(?:home|root|work|Users)\/[\w.-]+|\.\.\/shared\b|\bregistry\.[a-z]+|"resolved"\s*:/g;

/** The project speaks of itself alone. */
export function findForeignPlaces(file: TextFile): Finding[] {
  return matchLines(file, foreignPlaces, (match) => `${match} is no place of the project's`);
}

export function findPrivateKeys(file: TextFile): Finding[] {
  return matchLines(file, /-----BEGIN [A-Z ]*PRIVATE KEY-----/g, () => 'a private key');
}

/** 13 digits in quotes, in a table or in prose; a bare number in code is a time. */
const idInCode = /(?<=['"`,;\s:])(?<!\d)\d{13}(?=['"`,;\s])(?!\d)/g;

/** Citizen IDs that a living person could have: sample numbers start with 9, companies' with 099. */
export function findRealPeople(file: TextFile): Finding[] {
  if (file.path === 'package-lock.json') return [];
  const isCode = file.path.endsWith('.ts');
  return matchLines(file, isCode ? /(?<=['"`])\d{13}(?=['"`])/g : idInCode, (id) => id)
    .filter(({ what }) => couldBeReal(what))
    .map((finding) => ({ ...finding, what: `${finding.what} could be somebody's citizen ID` }));
}

function couldBeReal(id: string): boolean {
  const isOurs = id.startsWith('9') || id.startsWith('099');
  return !isOurs && computeCheckDigit(id.slice(0, 12)) === id.charCodeAt(12) - '0'.charCodeAt(0);
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly integrity?: string;
}

/** Packages that production installs without a hash to hold them against: anybody on the way could exchange them. */
export function findUnhashedPackages({ path, text }: TextFile): Finding[] {
  if (path !== 'package-lock.json') return [];
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  return Object.entries(packages).flatMap(([name, { dev, integrity }]) =>
    name === '' || dev === true || integrity !== undefined
      ? []
      : [{ path, line: 1, what: `${name} has no integrity` }],
  );
}
