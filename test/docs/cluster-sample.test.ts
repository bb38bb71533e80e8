/** The cluster of samples/cluster: what its compose file says of the settings, and the other way round. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { complainAboutJournalUrl } from '../../src/settings/journal-url.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { projectRoot } from './markdown.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly network_mode?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<'postgres' | 'sandbox' | 'pay-1' | 'pay-2', Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const folder = join(projectRoot, 'samples/cluster');
const { services, volumes } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), {
  merge: true,
}) as Compose;
const watchers = ['pay-1', 'pay-2'] as const;

const load = (name: (typeof watchers)[number]) =>
  loadSettings({
    configPath: join(folder, `${name}.yaml`),
    cwd: folder,
    env: services[name].environment ?? {},
  });

test('mounts what is there, and builds the image of this project', () => {
  for (const { volumes: mounts, build } of Object.values(services)) {
    for (const [from = ''] of mounts.map((mount) => mount.split(':')))
      expect([from, from.startsWith('./') ? existsSync(join(folder, from)) : from in volumes]).toEqual([
        from,
        true,
      ]);
    if (build !== undefined) expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
  }
});

test.each(watchers)('%s finds its bank, its journal and its health check', (name) => {
  const { network_mode: network, environment, volumes: mounts, healthcheck } = services[name];
  const { settings, dataDir, folders } = load(name);
  expect(network).toBe('service:sandbox');
  expect(mounts).toContain(`./${name}.yaml:/etc/paydrop/paydrop.yaml:ro`);
  expect(settings.journal.machine).toBe(name);
  expect(complainAboutJournalUrl(environment?.['PAYDROP_JOURNAL_URL'] ?? '')).toBeUndefined();
  expect(healthcheck.test.at(-1)).toContain(`http://${settings.watch.listen}/livez`);
  const { command = [] } = services.sandbox;
  expect(settings.bank.baseUrl).toBe(`http://127.0.0.1:${command[command.indexOf('--port') + 1]}`);
  expect(services.sandbox.healthcheck.test.at(-1)).toContain(settings.bank.baseUrl);
  // Only what is mounted is kept.
  for (const path of [dataDir, ...Object.values(folders)]) expect(path).toMatch(/^\/data\//);
});

test('the watchers differ in what is their own, and share the folders of files', () => {
  const [one, two] = watchers.map(load);
  const shared = ({
    dataDir: _dataDir,
    path: _path,
    settings,
    folders,
    ...loaded
  }: NonNullable<typeof one>) => ({
    ...loaded,
    folders: { ...folders, statements: '' },
    settings: {
      ...settings,
      dataDir: '',
      journal: { ...settings.journal, machine: '' },
      watch: { ...settings.watch, listen: '' },
    },
  });
  if (one === undefined || two === undefined) throw new Error('there are two');
  expect(shared(one)).toEqual(shared(two));
  expect(one.dataDir).not.toBe(two.dataDir);
  expect(one.settings.watch.listen).not.toBe(two.settings.watch.listen);
});
