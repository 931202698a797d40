/** Duration and CPU time of a warm request without a network, and the share of our own code. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundle, bundleDir } from '../../../infra/bundle/bundle.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { contract, endpoints, entryOf, handlerOf } from '../../../shared/contract/index.ts';
import type { Handler } from '../../../shared/http/index.ts';
import { fixed, judged, median, printTable, quantile } from '../print.ts';
import { type BenchEnv, createBenchEnv, isCovered } from './bench-env.ts';
import { counter, installAws, takeTableCalls } from './in-process-aws.ts';
import { withoutNetwork } from './without-network.ts';

const require = createRequire(import.meta.url);
const bare = 'test/bench/start-up/bare-client.ts';

const warmUps = 1_000;
const runs = 3_000;
const ownCpuGoalMs = 1;
const roundTripsGoal = 3;

/** Three typical requests: a user reads their profile, a member reads the organization, an admin updates it. */
const typical: readonly Endpoint[] = [contract.auth.me, contract.organizations.current, contract.invites.create];

export const measureHandlers = async (dir: string): Promise<boolean> => {
  const { handlerFor, sendBare } = await loadHandlers(join(dir, 'without-network'));
  const scene = await createBenchEnv(handlerFor);

  let met = true;
  const rows: string[][] = [];
  counter.value = 2;
  for (const endpoint of typical) {
    scene.set(endpoint);
    const call = () => scene.call(endpoint);
    const ours = await measure(call);
    takeTableCalls();
    await call();
    const { calls, roundTrips } = takeTableCalls();
    // The same calls through the AWS SDK, without any code of ours.
    const sdk = await measure(() => sendBare(calls));
    met &&= ours.cpuMs <= ownCpuGoalMs && roundTrips <= roundTripsGoal;
    rows.push([
      endpoint.id,
      fixed(ours.medianMs),
      fixed(ours.p99Ms),
      fixed(ours.cpuMs),
      judged(ours.cpuMs <= ownCpuGoalMs, `<= ${ownCpuGoalMs}`),
      fixed(sdk.cpuMs),
    ]);
  }
  printTable(
    `A warm request without a network, ${runs} times (ms)`,
    ['endpoint', 'median', 'p99', 'CPU', 'goal', 'its AWS calls alone by the SDK'],
    rows,
  );
  return (await countRoundTrips(scene)) && met;
};

interface Handlers {
  readonly handlerFor: (endpoint: Endpoint) => Handler;
  readonly sendBare: (calls: object) => Promise<void>;
}

/** The handlers of all covered endpoints, bundled. Their AWS is in this process. */
export const loadHandlers = async (out: string): Promise<Handlers> => {
  await bundle([...new Set(endpoints.filter(isCovered).map(entryOf)), bare], out, { replacements: withoutNetwork });
  installAws();
  const load = (entry: string) => require(join(bundleDir(entry, out), 'index.cjs')) as Record<string, Handler>;
  return {
    handlerFor: (endpoint) => load(entryOf(endpoint))[handlerOf(endpoint).name]!,
    sendBare: load(bare).handler as unknown as Handlers['sendBare'],
  };
};

const measure = async (call: () => Promise<unknown>): Promise<{ medianMs: number; p99Ms: number; cpuMs: number }> => {
  for (let n = 0; n < warmUps; n++) await call();
  const times: number[] = [];
  const before = process.threadCpuUsage();
  for (let n = 0; n < runs; n++) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  const { user, system } = process.threadCpuUsage(before);
  takeTableCalls();
  return { medianMs: median(times), p99Ms: quantile(times, 0.99), cpuMs: (user + system) / 1_000 / runs };
};

/** The first request of a minute, which also updates `lastSeenAt`. Concurrent calls count as one round trip. */
const countRoundTrips = async (scene: BenchEnv): Promise<boolean> => {
  const rows: string[][] = [];
  counter.value = 1;
  for (const endpoint of endpoints.filter((row) => isCovered(row) && row.capabilities.some((use) => use.startsWith('table:')))) {
    scene.set(endpoint);
    takeTableCalls();
    await scene.call(endpoint);
    const { calls, roundTrips } = takeTableCalls();
    const kinds = Object.entries(Object.groupBy(calls, ({ action }) => action)).map(([action, of]) => `${of?.length} ${action}`);
    rows.push([endpoint.id, String(roundTrips), judged(roundTrips <= roundTripsGoal, `<= ${roundTripsGoal}`), kinds.join(', ')]);
  }
  printTable('Round trips to the table, one after the other', ['endpoint', 'round trips', 'goal', 'calls'], rows);
  return rows.every(([, roundTrips]) => Number(roundTrips) <= roundTripsGoal);
};
