/**
 * Wrong usage or settings: exit 2. The message names the place and the cure.
 * It has a file of its own so that the command line can throw it without loading the settings' reader.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
