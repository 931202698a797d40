/** The data keys of backups: given as they are, or opened by a passphrase or by KMS from the object `key` beside each. */
import { readFileSync } from 'node:fs';
import { type Identity, type KeyFile, type KeyWrap, parseKeyFile, unwrapKey } from '../../shared/archive/index.ts';
import { openWrappedKey } from '../../shared/platform/index.ts';
import { damaged, failureOf, unusable } from './failure.ts';
import { ask } from './prompt.ts';

export interface KeyOptions {
  /** Ask for the passphrase even if the key could be opened by KMS. */
  readonly passphrase?: boolean | undefined;
  readonly passphraseFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly kmsEndpoint?: string | undefined;
}

export class DataKeys {
  readonly #options: KeyOptions;
  readonly #given: GivenKeys;
  #passphrase: string | undefined;

  constructor(options: KeyOptions) {
    this.#options = options;
    const { ARCHIVE_KEY, ARCHIVE_PASSPHRASE } = process.env;
    const text = options.keyFile === undefined ? ARCHIVE_KEY : secretOf(options.keyFile);
    this.#given = text ? givenKeys(text, options.keyFile ?? 'ARCHIVE_KEY') : { named: new Map() };
    this.#passphrase = options.passphraseFile === undefined ? ARCHIVE_PASSPHRASE : secretOf(options.passphraseFile);
  }

  /** Whether the key was given as it is: then nothing says that it belongs to the backup, before it opens something. */
  isGiven(backup: string, isOwn: boolean): boolean {
    return this.#givenFor(backup, isOwn) !== undefined;
  }

  #givenFor(backup: string, isOwn: boolean): Buffer | undefined {
    return this.#given.named.get(backup) ?? (isOwn ? this.#given.own : undefined);
  }

  /** `readKeyFile` gives the stored object `key` of that backup, which is not asked for if the key was given. */
  async open(identity: Identity, isOwn: boolean, readKeyFile: () => Promise<Uint8Array>): Promise<Buffer> {
    const given = this.#givenFor(identity.backup, isOwn);
    if (given) return given;
    const object = `${identity.backup}/key`;
    const stored = await readKeyFile();
    let file: KeyFile;
    try {
      file = parseKeyFile(stored);
    } catch (error) {
      throw failureOf(error, object);
    }
    if (file.identity.backup !== identity.backup) throw damaged(object, 'is the key of another backup');
    return this.#unwrap(file, object);
  }

  async #unwrap({ identity, wraps }: KeyFile, object: string): Promise<Buffer> {
    const byPassphrase = wraps.find((wrap) => wrap.kind === 'passphrase');
    const byKms = wraps.find((wrap) => wrap.kind === 'kms');
    const wantsPassphrase = this.#passphrase !== undefined || this.#options.passphrase === true || !byKms;
    if (byPassphrase && wantsPassphrase) {
      this.#passphrase ??= await ask('Passphrase: ');
      if (this.#passphrase === undefined) throw unusable(`${object}: wrapped by a passphrase: ${howToGive}`);
      return unwrapKey(byPassphrase, this.#passphrase, identity).catch((error: unknown) => {
        throw failureOf(error, object);
      });
    }
    if (!byKms) throw unusable(`${object}: ${howToGive}`);
    const { organization, project, backup } = identity;
    return openWrappedKey(byKms, { organization, project, backup }, { endpoint: this.#options.kmsEndpoint }).catch(
      (error: unknown) => {
        throw kmsFailure(error, byKms);
      },
    );
  }
}

const howToGive = 'set ARCHIVE_PASSPHRASE, or give --passphrase-file, or --passphrase at a terminal';

/** The name of the error and of the key, and nothing of what else the client says. */
const kmsFailure = (error: unknown, { keyId }: Extract<KeyWrap, { kind: 'kms' }>) => {
  const { name, code } = error as NodeJS.ErrnoException;
  const said = [name, code].filter((word) => typeof word === 'string' && /^\w{1,60}$/.test(word) && word !== 'Error');
  const shown = /^[\w:/-]{1,200}$/.test(keyId) ? keyId : 'the key';
  const hint = said.some((word) => word?.includes('Credentials')) ? ': there are no AWS credentials that it takes' : '';
  return unusable(`KMS did not open the data key with ${shown} (${said.join(' ') || 'no answer'})${hint}`, error);
};

interface GivenKeys {
  readonly own?: Buffer;
  readonly named: ReadonlyMap<string, Buffer>;
}

/** As `archive key` prints them: a line with the key of the backup, and lines with a backup's id before its key. */
const givenKeys = (text: string, from: string): GivenKeys => {
  const named = new Map<string, Buffer>();
  let own: Buffer | undefined;
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [first = '', second, more] = line.trim().split(/\s+/);
    const key = Buffer.from(second ?? first, 'base64url');
    if (more !== undefined || key.length !== 32) throw unusable(`${from}: not a data key of 32 bytes in base64url`);
    if (second === undefined) own = key;
    else named.set(first, key);
  }
  return { named, ...(own && { own }) };
};

const secretOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw unusable(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
};
