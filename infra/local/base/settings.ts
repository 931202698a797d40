/** Settings of a stage, read from environment variables. An invalid value is reported in one line that names its variable. */
import { resolve } from 'node:path';

export interface Settings {
  readonly port: number;
  readonly identityPort: number;
  readonly s3Port: number;
  /** Undefined: 4443 if it is free, otherwise any port. Callers that change the other ports need not set this one. */
  readonly gcsPort: number | undefined;
  readonly firestorePort: number;
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

export const readSettings = (env: Readonly<Record<string, string | undefined>>): Settings => {
  const settings = {
    port: port(env, 'PORT', 3000),
    identityPort: port(env, 'IDP_PORT', 3001),
    s3Port: port(env, 'S3_PORT', 4566),
    gcsPort: env.GCS_PORT?.trim() ? port(env, 'GCS_PORT', 0) : undefined,
    firestorePort: port(env, 'FIRESTORE_PORT', 8080),
    allowedHosts: hosts(env, 'WEBHOOK_ALLOWED_HOSTS'),
    dir: resolve(env.LOCAL_DIR || '.local'),
    demo: flag(env, 'DEMO', true),
    delayScale: scale(env, 'DELAY_SCALE', 1),
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

const refuse = (name: string, value: string, wanted: string): StartError =>
  new StartError(`${name}=${JSON.stringify(value)}: must be ${wanted}`);

/** 0: the system chooses a port (for tests). */
export const port = (env: Environment, name: string, otherwise: number): number => {
  const text = env[name]?.trim();
  if (!text) return otherwise;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw refuse(name, text, 'a port from 0 to 65535');
  return Number(text);
};

const hosts = (env: Environment, name: string): readonly string[] => {
  const entries = (env[name] ?? '').split(',').flatMap((entry) => entry.trim() || []);
  const wrong = entries.find((entry) => !/^(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/i.test(entry));
  if (wrong !== undefined) throw refuse(name, wrong, 'host:port,host:port,…');
  return entries;
};

const flag = (env: Environment, name: string, otherwise: boolean): boolean => {
  const text = env[name]?.trim().toLowerCase();
  if (!text) return otherwise;
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  throw refuse(name, text, '0 or 1');
};

const scale = (env: Environment, name: string, otherwise: number): number => {
  const text = env[name]?.trim();
  if (!text) return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw refuse(name, text, 'a number greater than 0');
  return value;
};
