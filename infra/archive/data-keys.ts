/** Data keys of backups: provided directly, or unwrapped from the object `key` of each backup by a passphrase or KMS. */

import { readFileSync } from 'node:fs';
import { type Identity, type KeyFile, parseKeyFile, unwrapKey, unwrapKeyByKms } from '../../shared/archive/index.ts';
import { openWrappedKey } from '../../shared/platform/index.ts';
import { cliCredentials } from './cli-credentials.ts';
import { escapeName } from './escape-output.ts';
import { damaged, type Failure, failureOf, unusable } from './failure.ts';
import { promptSecret } from './prompt-secret.ts';

export interface KeyOptions {
  /** Prompt for the passphrase even if KMS could open the key. */
  readonly passphrase?: boolean | undefined;
  readonly passphraseFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly kmsEndpoint?: string | undefined;
  /** Profile of the AWS configuration for KMS. */
  readonly kmsProfile?: string | undefined;
  /** The only KMS key that may open the backup. */
  readonly kmsKey?: string | undefined;
}

export interface OpenedKey {
  readonly dataKey: Buffer;
  /** For display; names the KMS key. */
  readonly by: string;
}

/**
 * If a key, a passphrase or a KMS key is provided, nothing else opens a backup. Otherwise anyone with write access to the bucket
 * could plant a backup wrapped by a KMS key of their own that everyone may use, and it would verify.
 */
export class DataKeys {
  readonly #options: KeyOptions;
  readonly #provided: ProvidedKeys | undefined;
  #passphrase: string | undefined;

  constructor(options: KeyOptions) {
    this.#options = options;
    const { ARCHIVE_KEY, ARCHIVE_PASSPHRASE } = process.env;
    const text = options.keyFile === undefined ? ARCHIVE_KEY : readSecret(options.keyFile);
    this.#provided = text === undefined ? undefined : parseProvidedKeys(text, options.keyFile ?? 'ARCHIVE_KEY');
    this.#passphrase = options.passphraseFile === undefined ? ARCHIVE_PASSPHRASE : readSecret(options.passphraseFile);
  }

  /** Whether the data key was provided directly. Only opening something proves that it belongs to the backup. */
  isProvided(backup: string, isOwn: boolean): boolean {
    return this.#providedFor(backup, isOwn) !== undefined;
  }

  #providedFor(backup: string, isOwn: boolean): Buffer | undefined {
    return this.#provided?.named.get(backup) ?? (isOwn ? this.#provided?.own : undefined);
  }

  /** `readKeyFile` reads the object `key` of that backup; it is not called if the key was provided. */
  async open(identity: Identity, isOwn: boolean, readKeyFile: () => Promise<Uint8Array>): Promise<OpenedKey> {
    const provided = this.#providedFor(identity.backup, isOwn);
    if (provided) return { dataKey: provided, by: 'the provided data key' };
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
      throw damaged(object, 'belongs to another backup');
    return this.#unwrap(file, object);
  }

  async #unwrap({ identity, wraps }: KeyFile, object: string): Promise<OpenedKey> {
    const { kmsKey, passphrase } = this.#options;
    const byPassphrase = wraps.find((wrap) => wrap.kind === 'passphrase');
    const kmsWraps = wraps.filter((wrap) => wrap.kind === 'kms');
    const byKms = kmsWraps.find(({ keyId }) => keyId === kmsKey) ?? kmsWraps[0];
    const hasPassphrase = this.#passphrase !== undefined || passphrase === true;
    const isAnyKeyAllowed = this.#provided === undefined && !hasPassphrase && kmsKey === undefined;
    if (byPassphrase && (hasPassphrase || (isAnyKeyAllowed && !byKms))) {
      this.#passphrase ??= await promptSecret('Passphrase: ');
      if (this.#passphrase === undefined) throw unusable(`${object}: the key is wrapped by a passphrase; ${passphraseHint}`);
      const dataKey = await unwrapKey(byPassphrase, this.#passphrase, identity).catch((error: unknown) => {
        throw failureOf(error, object);
      });
      return { dataKey, by: 'the passphrase' };
    }
    if (byPassphrase && !byKms) throw unusable(`${object}: the key is wrapped by a passphrase; ${passphraseHint}`);
    if (!byKms || !(isAnyKeyAllowed || kmsKey !== undefined))
      throw unusable(`${object}: the key is wrapped by KMS, not by the provided secret; ${kmsHint}`);
    const { organization, project, backup } = identity;
    // KMS decrypts only with the key that wrapped the blob.
    const kmsWrap = { keyId: kmsKey ?? byKms.keyId, blob: byKms.blob };
    const { kmsEndpoint: endpoint, kmsProfile } = this.#options;
    const secret = await openWrappedKey(
      kmsWrap,
      { organization, project, backup },
      { credentials: cliCredentials(kmsProfile), endpoint },
    ).catch((error: unknown) => {
      throw kmsFailure(error, kmsWrap.keyId);
    });
    const dataKey = await unwrapKeyByKms(byKms, secret, identity).catch((error: unknown) => {
      throw failureOf(error, object);
    });
    return { dataKey, by: `KMS key ${escapeName(kmsWrap.keyId)}` };
  }
}

const passphraseHint = 'set ARCHIVE_PASSPHRASE or use --passphrase-file, or --passphrase at a terminal';
const kmsHint = 'name the KMS key with --kms-key ARN';

/** Names the error and the key only: other client output may be sensitive. */
const kmsFailure = (error: unknown, keyId: string): Failure => {
  const { name, code } = error as NodeJS.ErrnoException;
  const words = [name, code].filter((word) => typeof word === 'string' && /^\w{1,60}$/.test(word) && word !== 'Error');
  const shown = /^[\w:/-]{1,200}$/.test(keyId) ? keyId : 'the key';
  const hint = words.some((word) => word?.includes('Credentials')) ? ': no valid AWS credentials found' : '';
  return unusable(`KMS did not decrypt the data key with ${shown} (${words.join(' ') || 'no response'})${hint}`, error);
};

interface ProvidedKeys {
  readonly own?: Buffer;
  readonly named: ReadonlyMap<string, Buffer>;
}

/** Parses the output of `archive key`: the key of the backup, and lines of backup id and key. */
const parseProvidedKeys = (text: string, from: string): ProvidedKeys => {
  const named = new Map<string, Buffer>();
  let own: Buffer | undefined;
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [first = '', second, more] = line.trim().split(/\s+/);
    const key = Buffer.from(second ?? first, 'base64url');
    if (more !== undefined || key.length !== 32) throw unusable(`${from}: not a 32-byte data key in base64url`);
    if (second === undefined) own = key;
    else named.set(first, key);
  }
  if (!own && named.size === 0) throw unusable(`${from}: contains no data key`);
  return { named, ...(own && { own }) };
};

const readSecret = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw unusable(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
};
