/**
 * Setup file of all projects. Files share a process, so each begins as if it had just started: with the environment of then, and without
 * clients, keys, caches and fakes of the file before.
 */
import { vi } from 'vitest';
import { wire } from '../../shared/platform/aws-client/request-handler.ts';
import { clock, forgetWarm, lambdaProcess } from '../../shared/platform/index.ts';

interface Start {
  readonly environment: NodeJS.ProcessEnv;
  /** What tests replace. */
  readonly replaced: readonly (readonly [object, object])[];
}

const key = Symbol.for('test/setup/fresh-start');
const holder = globalThis as { [key]?: Start };
holder[key] ??= { environment: { ...process.env }, replaced: [wire, clock, lambdaProcess].map((part) => [part, { ...part }]) };

const { environment, replaced } = holder[key];
for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
Object.assign(process.env, environment);
for (const [part, original] of replaced) Object.assign(part, original);
vi.useRealTimers();
vi.restoreAllMocks();
forgetWarm();
