/** Settings of a stage, read from environment variables. An invalid value is reported in one line that names its variable. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

export interface Settings {
  /** The address to listen on instead of loopback, for containers. */
  readonly host?: string | undefined;
  readonly port: number;
  readonly identityPort: number;
  readonly s3Port: number;
  /** Undefined: 4443 if it is free, otherwise any port. Callers that change the other ports need not set this one. */
  readonly gcsPort: number | undefined;
  readonly firestorePort: number;
  /** The text of a firestore.indexes.json. Without it every Firestore query has its index. */
  readonly firestoreIndexes?: string | undefined;
  /** Loopback or private `host:port` addresses that webhooks and storage destinations may use. */
  readonly allowedHosts: readonly string[];
  /** The folder of the persistent state. */
  readonly dir: string;
  readonly demo: boolean;
  /** Speeds up delays and schedules by this factor. */
  readonly delayScale: number;
}

/** An error the user can fix: shown as one line without a stack trace. */
export class StartError extends Error {}

export const readSettings = (env: Environment): Settings => {
  const settings = {
    host: read<string | undefined>(env, 'LISTEN_HOST', { otherwise: undefined, wanted: 'an IP address', parse: address }),
    port: port(env, 'PORT', 3000),
    identityPort: port(env, 'IDP_PORT', 3001),
    s3Port: port(env, 'S3_PORT', 4566),
    gcsPort: env.GCS_PORT?.trim() ? port(env, 'GCS_PORT', 0) : undefined,
    firestorePort: port(env, 'FIRESTORE_PORT', 8080),
    ...(env.FIRESTORE_INDEXES?.trim() && {
      firestoreIndexes: read(env, 'FIRESTORE_INDEXES', { otherwise: '', wanted: 'a readable file', parse: fileText }),
    }),
    allowedHosts: read(env, 'WEBHOOK_ALLOWED_HOSTS', { otherwise: [], wanted: 'host:port,host:port,…', parse: hosts }),
    dir: resolve(env.LOCAL_DIR || '.local'),
    demo: read(env, 'DEMO', { otherwise: true, wanted: '0 or 1', parse: (text) => flags[text.toLowerCase()] }),
    delayScale: read(env, 'DELAY_SCALE', {
      otherwise: 1,
      wanted: 'a number greater than 0',
      parse: (text) => (Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : undefined),
    }),
  };
  const { port: gateway, identityPort, s3Port, gcsPort, firestorePort } = settings;
  const ports = { PORT: gateway, IDP_PORT: identityPort, S3_PORT: s3Port, GCS_PORT: gcsPort, FIRESTORE_PORT: firestorePort };
  for (const [name, value] of Object.entries(ports)) {
    const twin = Object.entries(ports).find(([other, its]) => other !== name && its === value && value !== 0);
    if (twin) throw new StartError(`${name} and ${twin[0]} are both ${value}; give each its own port`);
  }
  return settings;
};

type Environment = Readonly<Record<string, string | undefined>>;

interface Reading<T> {
  readonly otherwise: T;
  /** Names the valid values. */
  readonly wanted: string;
  /** Undefined: the text is invalid. */
  readonly parse: (text: string) => T | undefined;
}

const read = <T>(env: Environment, name: string, { otherwise, wanted, parse }: Reading<T>): T => {
  const text = env[name]?.trim();
  if (!text) return otherwise;
  const value = parse(text);
  if (value === undefined) throw new StartError(`${name}=${JSON.stringify(text)}: must be ${wanted}`);
  return value;
};

/** 0: the system chooses a port (for tests). */
export const port = (env: Environment, name: string, otherwise: number): number =>
  read(env, name, {
    otherwise,
    wanted: 'a port from 0 to 65535',
    parse: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  });

const address = (text: string): string | undefined => (isIP(text) === 0 ? undefined : text);

const hosts = (text: string): readonly string[] | undefined => {
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  return entries.every((entry) => /^(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/i.test(entry)) ? entries : undefined;
};

const fileText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const flags: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };
