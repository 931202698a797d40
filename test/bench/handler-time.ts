/** How long a warm request takes without a network, how much CPU that is, and how much of it is ours. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundle, bundleDir } from '../../infra/bundle/bundle.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { contract, endpoints, handlerOf } from '../../shared/contract/index.ts';
import type { Handler } from '../../shared/http/index.ts';
import { counter, open, settleAccount } from './aws.ts';
import { type BenchEnv, createBenchEnv, isPlayed } from './bench-env.ts';
import { withoutNetwork } from './network.ts';
import { fixed, judged, median, printTable, quantile } from './print.ts';

const require = createRequire(import.meta.url);
const entryOf = (endpoint: Endpoint): string => `functions/api/${handlerOf(endpoint).file}.ts`;
const bare = 'test/bench/bare.ts';

const warmUps = 1_000;
const runs = 3_000;
const ownCpuGoalMs = 1;
const roundTripsGoal = 3;

/** Three typical rows: a person reads about herself, a member reads the organization, an admin changes it. */
const typical: readonly Endpoint[] = [contract.auth.me, contract.organizations.current, contract.invites.create];
export const measureHandlers = async (dir: string): Promise<boolean> => {
  const out = join(dir, 'without-network');
  await bundle([...new Set(endpoints.map(entryOf)), bare], out, { replacements: withoutNetwork });
  open();
  const load = (entry: string) => require(join(bundleDir(entry, out), 'index.cjs')) as Record<string, Handler>;
  const handlerFor = (endpoint: Endpoint): Handler => load(entryOf(endpoint))[handlerOf(endpoint).name]!;
  const sendBare = load(bare).handler as unknown as (calls: object) => Promise<void>;

  const scene = await createBenchEnv(handlerFor);

  let met = true;
  const rows: string[][] = [];
  counter.standsAt = 2;
  for (const endpoint of typical) {
    scene.set(endpoint);
    const call = () => scene.call(endpoint);
    const ours = await measure(call);
    settleAccount();
    await call();
    const { calls, roundTrips } = settleAccount();
    // The same calls, and nothing else, by the SDK that we do without.
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
  settleAccount();
  return { medianMs: median(times), p99Ms: quantile(times, 0.99), cpuMs: (user + system) / 1_000 / runs };
};

/** The first request of a minute, which also notes who was seen; calls under way together are one round trip. */
const countRoundTrips = async (scene: BenchEnv): Promise<boolean> => {
  const rows: string[][] = [];
  counter.standsAt = 1;
  for (const endpoint of endpoints.filter((row) => isPlayed(row) && row.capabilities.some((use) => use.startsWith('table:')))) {
    scene.set(endpoint);
    settleAccount();
    await scene.call(endpoint);
    const { calls, roundTrips } = settleAccount();
    const kinds = Object.entries(Object.groupBy(calls, ({ action }) => action)).map(([action, of]) => `${of?.length} ${action}`);
    rows.push([endpoint.id, String(roundTrips), judged(roundTrips <= roundTripsGoal, `<= ${roundTripsGoal}`), kinds.join(', ')]);
  }
  printTable('Round trips to the table, one after the other', ['endpoint', 'round trips', 'goal', 'calls'], rows);
  return rows.every(([, roundTrips]) => Number(roundTrips) <= roundTripsGoal);
};
