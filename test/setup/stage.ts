/**
 * Global setup of the project `stage`: boots one stage for all its files, on free ports and in a folder of its own.
 * `RECORD_PERMISSIONS=1` stores which permissions of the template the run used; npm run check compares them with the template.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { keepRecord } from '../../infra/local/unused-permissions/main.ts';
import { recordVariable } from '../../infra/local/unused-permissions/recorder.ts';
import { spawnStage } from '../harness/faults/killable-stage.ts';
import { makeRunDir } from './run-dir.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The STAGE_ variables; test/setup/stage-env.ts sets them in every worker of this project. */
    readonly stage: Readonly<Record<string, string>>;
  }
}

/** Set while a project of this run has booted the stage; the other one uses it. */
const runningVariable = 'TEST_STAGE';

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const running = process.env[runningVariable];
  if (running !== undefined) {
    project.provide('stage', JSON.parse(running));
    return async () => undefined;
  }
  const dir = makeRunDir('stage-');
  const seenFile = process.env.RECORD_PERMISSIONS === '1' ? join(dir, 'permissions') : undefined;
  // Stages that a test starts in a process of its own append to the same file.
  if (seenFile) process.env[recordVariable] = seenFile;
  const startedMs = performance.now();
  console.log('stage: booting');
  const stage = await spawnStage(dir, { delayScale: 1, isTableInMemory: true });
  console.log(`stage: ready ${stage.variables.STAGE_URL} after ${secondsSince(startedMs)} s, in ${dir}\n`);
  project.provide('stage', stage.variables);
  process.env[runningVariable] = JSON.stringify(stage.variables);
  return async () => {
    delete process.env[runningVariable];
    await stage.stop();
    const { state } = project.vitest;
    const isGood = state.getCountOfFailedTests() === 0 && state.getUnhandledErrors().length === 0;
    if (seenFile && isGood) keepRecord(seenFile, await isWholeRun(project));
    if (isGood) rmSync(dir, { recursive: true, force: true });
    else console.log(`the state and the logs of the stage are in ${dir}`);
  };
};

const secondsSince = (startedMs: number): string => ((performance.now() - startedMs) / 1_000).toFixed(1);

/** Only a run of all tests may drop a permission from the record. */
const isWholeRun = async ({ vitest }: TestProject): Promise<boolean> => {
  const { project: chosenProjects, testNamePattern } = vitest.config;
  if (chosenProjects.length > 0 || testNamePattern || process.env.TEST_ALL !== '1') return false;
  const all = await vitest.globTestSpecifications();
  return vitest.state.getFiles().length === all.length;
};
