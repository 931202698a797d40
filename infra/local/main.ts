/** `npm start`: boots a stage, prints its address, and stops it on a signal. */

import { readSettings, StartError } from './base/settings.ts';
import { runDemo } from './demo/demo.ts';
import { type Stage, startStage } from './stage.ts';

const startedMs = performance.now();
const say = (line: string): void => console.log(`${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(5)} s  ${line}`);

const main = async (): Promise<void> => {
  const settings = readSettings(process.env);
  let stage: Stage | undefined;
  let stopping = false;
  const stop = async (wanted: number): Promise<void> => {
    // Further signals are ignored: stopping is quick.
    if (stopping) return;
    stopping = true;
    say('stopping');
    // Before the stage is ready there is nothing to save, and its processes end with this one.
    let code = wanted;
    try {
      await stage?.stop();
    } catch (error) {
      console.error(error);
      code = 1;
    }
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0));
  process.on('uncaughtException', (error) => {
    console.error(error);
    void stop(1);
  });
  const demo = Promise.withResolvers<void>();
  stage = await startStage({ ...settings, say, demoEnd: demo.promise });
  console.log(`ready ${stage.url}`);
  if (settings.demo) await runDemo(stage, settings.dir);
  demo.resolve();
};

main().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
});
