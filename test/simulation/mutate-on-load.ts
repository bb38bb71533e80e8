/** Loaded before everything else (`node --import`): applies the mutation that the environment names to the source. */
import { registerHooks } from 'node:module';
import { mutations } from './mutations.ts';

const name = process.env['SIMULATED_MUTATION'];
const mutation = mutations.find((one) => one.name === name);
if (mutation === undefined) throw new Error(`there is no mutation "${name ?? ''}"`);

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const patches = mutation.patches.filter(({ file }) => url.endsWith(`/src/${file}`));
    if (patches.length === 0) return loaded;
    let source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    for (const { file, find, replace } of patches) {
      const parts = source.split(find);
      if (parts.length !== 2) throw new Error(`"${name ?? ''}" fits ${parts.length - 1} places in ${file}`);
      source = parts.join(replace);
    }
    return { ...loaded, source };
  },
});
