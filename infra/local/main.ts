/** `npm start`: boots a stage, says where it is, and stops it when told to. */

import { runDemo } from './demo.ts';
import { readSettings, StartError } from './settings.ts';
import { startStage } from './stage.ts';

const startedMs = performance.now();
const say = (line: string): void => console.log(`${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(5)} s  ${line}`);

const main = async (): Promise<void> => {
  const settings = readSettings(process.env);
  const stage = await startStage({ ...settings, say });
  let stopping = false;
  const stop = async (): Promise<void> => {
    // A second signal while stopping changes nothing: stopping takes a moment, not minutes.
    if (stopping) return;
    stopping = true;
    say('stopping');
    await stage.stop();
    process.exit(0);
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());
  process.on('SIGHUP', () => void stop());
  console.log(`ready ${stage.url}`);
  if (settings.demo) await runDemo(stage, settings.dir);
};

main().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
});
