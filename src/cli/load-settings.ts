/** The settings that a command line names. Loaded when a command runs: --help does without them. */
import type { LoadedSettings } from '../settings/settings.ts';
import type { GlobalOptions } from './options.ts';

/** @throws SettingsError (exit 2) naming what is missing or wrong */
export async function loadCommandSettings(
  options: Pick<GlobalOptions, 'config' | 'dataDir'>,
): Promise<LoadedSettings> {
  const { loadSettings } = await import('../settings/settings.ts');
  return loadSettings({
    configPath: options.config,
    dataDir: options.dataDir,
    cwd: process.cwd(),
    env: process.env,
  });
}
