/** The data keys of backups: given as they are, or opened by a passphrase or by KMS from the object `key` beside each. */

import { readFileSync } from 'node:fs';
import { type Identity, type KeyFile, parseKeyFile, unwrapKey } from '../../shared/archive/index.ts';
import { openWrappedKey } from '../../shared/platform/index.ts';
import { cliCredentials } from './cli-credentials.ts';
import { escapeName } from './escape-output.ts';
import { damaged, type Failure, failureOf, unusable } from './failure.ts';
import { promptSecret } from './prompt-secret.ts';

export interface KeyOptions {
  /** Ask for the passphrase even if the key could be opened by KMS. */
  readonly passphrase?: boolean | undefined;
  readonly passphraseFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly kmsEndpoint?: string | undefined;
  /** The one KMS key that may open it. */
  readonly kmsKey?: string | undefined;
}

export interface OpenedKey {
  readonly dataKey: Buffer;
  /** In words, with the name of the KMS key. */
  readonly by: string;
}

/**
 * Where a key, a passphrase or a KMS key is given, nothing else opens a backup: whoever may write into the bucket could put a
 * backup of their own there, under a KMS key of their own that anyone may decrypt with, and it would be found whole.
 */
export class DataKeys {
  readonly #options: KeyOptions;
  readonly #given: ProvidedKeys | undefined;
  #passphrase: string | undefined;

  constructor(options: KeyOptions) {
    this.#options = options;
    const { ARCHIVE_KEY, ARCHIVE_PASSPHRASE } = process.env;
    const text = options.keyFile === undefined ? ARCHIVE_KEY : secretOf(options.keyFile);
    this.#given = text === undefined ? undefined : givenKeys(text, options.keyFile ?? 'ARCHIVE_KEY');
    this.#passphrase = options.passphraseFile === undefined ? ARCHIVE_PASSPHRASE : secretOf(options.passphraseFile);
  }

  /** Whether the key was given as it is: then nothing says that it belongs to the backup, before it opens something. */
  isProvided(backup: string, isOwn: boolean): boolean {
    return this.#givenFor(backup, isOwn) !== undefined;
  }

  #givenFor(backup: string, isOwn: boolean): Buffer | undefined {
    return this.#given?.named.get(backup) ?? (isOwn ? this.#given?.own : undefined);
  }

  /** `readKeyFile` gives the stored object `key` of that backup, which is not asked for if the key was given. */
  async open(identity: Identity, isOwn: boolean, readKeyFile: () => Promise<Uint8Array>): Promise<OpenedKey> {
    const given = this.#givenFor(identity.backup, isOwn);
    if (given) return { dataKey: given, by: 'the given data key' };
    const object = `${identity.backup}/key`;
    const stored = await readKeyFile();
    let file: KeyFile;
    try {
      file = parseKeyFile(stored);
    } catch (error) {
      throw failureOf(error, object);
    }
    const { organization, project, backup } = file.identity;
    if (organization !== identity.organization || project !== identity.project || backup !== identity.backup)
      throw damaged(object, 'is the key of another backup');
    return this.#unwrap(file, object);
  }

  async #unwrap({ identity, wraps }: KeyFile, object: string): Promise<OpenedKey> {
    const { kmsKey, passphrase } = this.#options;
    const byPassphrase = wraps.find((wrap) => wrap.kind === 'passphrase');
    const kmsWraps = wraps.filter((wrap) => wrap.kind === 'kms');
    const byKms = kmsWraps.find(({ keyId }) => keyId === kmsKey) ?? kmsWraps[0];
    const isPassphrase = this.#passphrase !== undefined || passphrase === true;
    const isOpen = this.#given === undefined && !isPassphrase && kmsKey === undefined;
    if (byPassphrase && (isPassphrase || (isOpen && !byKms))) {
      this.#passphrase ??= await promptSecret('Passphrase: ');
      if (this.#passphrase === undefined) throw unusable(`${object}: wrapped by a passphrase: ${howToGive}`);
      const dataKey = await unwrapKey(byPassphrase, this.#passphrase, identity).catch((error: unknown) => {
        throw failureOf(error, object);
      });
      return { dataKey, by: 'the passphrase' };
    }
    if (byPassphrase && !byKms) throw unusable(`${object}: wrapped by a passphrase: ${howToGive}`);
    if (!byKms || !(isOpen || kmsKey !== undefined))
      throw unusable(`${object}: wrapped by KMS, not by what was given: ${howToName}`);
    const { organization, project, backup } = identity;
    // KMS opens only what was wrapped by the key that it is asked to open it with.
    const asked = { keyId: kmsKey ?? byKms.keyId, blob: byKms.blob };
    const endpoint = this.#options.kmsEndpoint;
    const dataKey = await openWrappedKey(
      asked,
      { organization, project, backup },
      { credentials: cliCredentials(), endpoint },
    ).catch((error: unknown) => {
      throw kmsFailure(error, asked.keyId);
    });
    return { dataKey, by: `KMS key ${escapeName(asked.keyId)}` };
  }
}

const howToGive = 'set ARCHIVE_PASSPHRASE, or give --passphrase-file, or --passphrase at a terminal';
const howToName = '--kms-key ARN tells the one KMS key that may open it';

/** The name of the error and of the key, and nothing of what else the client says. */
const kmsFailure = (error: unknown, keyId: string): Failure => {
  const { name, code } = error as NodeJS.ErrnoException;
  const said = [name, code].filter((word) => typeof word === 'string' && /^\w{1,60}$/.test(word) && word !== 'Error');
  const shown = /^[\w:/-]{1,200}$/.test(keyId) ? keyId : 'the key';
  const hint = said.some((word) => word?.includes('Credentials')) ? ': there are no AWS credentials that it takes' : '';
  return unusable(`KMS did not open the data key with ${shown} (${said.join(' ') || 'no answer'})${hint}`, error);
};

interface ProvidedKeys {
  readonly own?: Buffer;
  readonly named: ReadonlyMap<string, Buffer>;
}

/** As `archive key` prints them: a line with the key of the backup, and lines with a backup's id before its key. */
const givenKeys = (text: string, from: string): ProvidedKeys => {
  const named = new Map<string, Buffer>();
  let own: Buffer | undefined;
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [first = '', second, more] = line.trim().split(/\s+/);
    const key = Buffer.from(second ?? first, 'base64url');
    if (more !== undefined || key.length !== 32) throw unusable(`${from}: not a data key of 32 bytes in base64url`);
    if (second === undefined) own = key;
    else named.set(first, key);
  }
  if (!own && named.size === 0) throw unusable(`${from}: holds no data key`);
  return { named, ...(own && { own }) };
};

const secretOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw unusable(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
};
