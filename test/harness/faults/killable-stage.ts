/**
 * A stage in a child process that a test can kill -9 and start again on the same folder and ports. Its clocks and delays run
 * `delayScale` times faster (default 1,000).
 *
 * const stage = await startKillableStage(dir);    // the helpers of test/harness now use this stage
 * await stage.kill();
 * await startKillableStage(dir, stage.ports);
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../../infra/config.ts';
import { rootAccessKeyId } from '../../../infra/local/base/types.ts';
import { region, startStage } from '../../../infra/local/stage.ts';

interface Ports {
  readonly port: number;
  readonly identityPort: number;
  readonly s3Port: number;
  readonly gcsPort: number;
  readonly firestorePort: number;
}

interface Ready {
  readonly ports: Ports;
  /** The STAGE_ variables that stageVariable() reads. */
  readonly variables: Readonly<Record<string, string>>;
  readonly eventMatchQueueUrl: string;
  readonly deliveryRetryQueueUrl: string;
}

export interface KillableStage extends Ready {
  readonly pid: number;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface SpawnedStage extends KillableStage {
  /** Stops the engines in order and waits for the process to exit. */
  stop(): Promise<void>;
}

const self = fileURLToPath(import.meta.url);
const anyPorts: Ports = { port: 0, identityPort: 0, s3Port: 0, gcsPort: 0, firestorePort: 0 };

interface SpawnOptions {
  readonly ports?: Ports;
  readonly delayScale: number;
  /** Settings of the deployment. */
  readonly config?: Partial<ConfigInput>;
  /** For a stage that is not started again. */
  readonly isTableInMemory?: boolean;
  /** Its clocks are behind by this. */
  readonly clockBehindMs?: number;
}

/** Boots a stage in a child process. The stage exits when this process does. */
export const spawnStage = async (
  dir: string,
  { ports = anyPorts, delayScale, config = {}, isTableInMemory = false, clockBehindMs = 0 }: SpawnOptions,
): Promise<SpawnedStage> => {
  const choices = JSON.stringify({ ...ports, dir, delayScale, config, isTableInMemory });
  const flags = ['--max-semi-space-size=64', ...(clockBehindMs > 0 ? ['--import', slowClock(clockBehindMs)] : [])];
  const child = spawn(process.execPath, [...flags, self, choices], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (typeof line !== 'string') throw new Error('the stage ended before it was ready');
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    ...(JSON.parse(line) as Ready),
    pid: child.pid ?? 0,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
};

/** A module that sets the clock back, also of the threads of functions. */
const slowClock = (behindMs: number): string => {
  const source = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { if (given.length === 0) super(Real.now() - ${behindMs}); else super(...given); }
    static now() { return Real.now() - ${behindMs}; }
  };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
};

export const startKillableStage = async (dir: string, ports?: Ports, delayScale = 1_000): Promise<KillableStage> => {
  const stage = await spawnStage(dir, { ports: ports ?? (await choosePorts()), delayScale });
  Object.assign(process.env, stage.variables);
  return stage;
};

/** Systems choose no ports of this range by themselves, so that no other process takes one while the stage is down. */
const portRange = [20_000, 32_000] as const;

const choosePorts = async (): Promise<Ports> => {
  const chosen = new Set<number>();
  const names = Object.keys(anyPorts);
  while (chosen.size < names.length) {
    const port = randomInt(...portRange);
    if (await isFree(port)) chosen.add(port);
  }
  return Object.fromEntries(names.map((name, n) => [name, [...chosen][n]])) as unknown as Ports;
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((tell) => {
    const server = createServer()
      .once('error', () => tell(false))
      .listen(port, () => server.close(() => tell(true)));
  });

const main = async ({
  config,
  ...choices
}: Ports & Required<Omit<SpawnOptions, 'clockBehindMs'>> & { readonly dir: string }): Promise<void> => {
  // The pipe closes when the parent exits, whatever ended it.
  process.stdin.on('close', () => process.exit(1)).resume();
  const stage = await startStage({
    ...{ ...choices, allowedHosts: ['localhost'], demo: false },
    // Tests call from one address and more often than users.
    config: { requestsPerMinute: 100_000, ...config },
  });
  // Ctrl-C reaches the whole process group; the parent decides when the stage stops.
  process.on('SIGINT', () => {});
  process.once('SIGTERM', () => void stage.stop().then(() => process.exit(0)));
  const portOf = (url: string): number => Number(new URL(url).port);
  const variableOf = (name: string): string => stage.functions.flatMap(({ environment }) => environment[name] ?? [])[0] ?? '';
  const ready: Ready = {
    ports: {
      port: portOf(stage.url),
      identityPort: portOf(stage.identityUrl),
      s3Port: portOf(stage.s3Url),
      gcsPort: portOf(stage.gcsUrl),
      firestorePort: Number(stage.firestore.address.split(':').at(-1)),
    },
    variables: {
      STAGE_URL: stage.url,
      STAGE_IDP_URL: stage.identityUrl,
      STAGE_AWS_URL: stage.aws.url,
      STAGE_AWS_KEY: rootAccessKeyId,
      STAGE_S3_URL: stage.s3Url,
      STAGE_GCS_URL: stage.gcsUrl,
      STAGE_FIRESTORE: stage.firestore.address,
      STAGE_REGION: region,
      STAGE_TABLE: stage.tableName,
      STAGE_DIR: choices.dir,
    },
    eventMatchQueueUrl: variableOf('EVENT_MATCH_QUEUE_URL'),
    deliveryRetryQueueUrl: variableOf('DELIVERY_RETRY_QUEUE_URL'),
  };
  console.log(JSON.stringify(ready));
};

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}'));
