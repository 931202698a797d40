/** What was asked for, from the words of the command line. */
import { parseArgs } from 'node:util';
import type { KeyOptions } from './data-keys.ts';
import { unusable } from './failure.ts';
import type { BucketAccess } from './open-location.ts';

export const usage = `npm run -s archive -- <command> <where> [path] [options]

Reads backups where they lie. It needs the bucket and the key, and nothing of the service.

  ls <where> [path]       the backups of a folder; the collections of a backup; the documents of a collection
  cat <where> <path>      one document in the form of the Firestore REST API; accounts/<uid> is a user
  export <where>          all documents as NDJSON in that form
  verify <where>          reads every byte: sizes, hashes, frames, counts
  key <where>             prints the data key, to be kept offline

<where> is s3://bucket/path, gs://bucket/path or a folder: a backup's own, or one with backups below it.
An incremental backup finds records in earlier ones: their folders, named by their ids, must lie beside it.
Credentials of S3 are found as by every AWS tool; of Google, GOOGLE_APPLICATION_CREDENTIALS names a key file.

  --endpoint URL          of a store of the S3 or Google kind that is elsewhere
  --region NAME           of the bucket
The key of the backup is, in this order:
  --key-file FILE         a data key as "key" prints it; or in ARCHIVE_KEY
  --passphrase-file FILE  the organization's own passphrase; or in ARCHIVE_PASSPHRASE; --passphrase asks for it
  --kms-key ARN           the one KMS key that may open it, with AWS credentials that may decrypt
  --kms-endpoint URL      KMS is there, not at AWS
Where a key, a passphrase or a KMS key is given nothing else opens the backup. Where none is, the KMS key does that its object
"key" names, be it anyone's: look at what verify says it was opened by.
export:
  --collection PATH       only this collection and all below it; may be repeated
  --users                 the users of Firebase Authentication instead
  --out FILE              into a file, which is there when it is whole; otherwise to stdout
  --force                 even if FILE.partial is there, left by an export that was killed or is still running
verify:
  --digest TEXT           the manifest must be this very one
  --quick                 only that every object is there with its size, and the index
  --full                  also decodes every document

Exit code 0: fine. 1: the backup is damaged. 2: asked for wrongly, or it cannot be reached or opened.`;

export const commands = ['ls', 'cat', 'export', 'verify', 'key'] as const;
export type CommandName = (typeof commands)[number];

export interface Command extends BucketAccess, KeyOptions {
  readonly name: CommandName;
  readonly location: string;
  readonly path: string;
  readonly collections: readonly string[];
  readonly users: boolean;
  readonly out: string | undefined;
  readonly force: boolean;
  readonly digest: string | undefined;
  readonly depth: 'quick' | 'whole' | 'full';
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
export const options = {
  endpoint: text,
  region: text,
  'kms-endpoint': text,
  'kms-key': text,
  'key-file': text,
  'passphrase-file': text,
  passphrase: flag,
  collection: { type: 'string', multiple: true },
  users: flag,
  out: text,
  force: flag,
  digest: text,
  quick: flag,
  full: flag,
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options that only one command has; the others are all commands'. */
const onlyOf: Readonly<Record<string, CommandName>> = {
  ...{ collection: 'export', users: 'export', out: 'export', force: 'export' },
  ...{ quick: 'verify', full: 'verify' },
};

/** Undefined if help is asked for. What is wrong is said without repeating words that might be secrets. */
export const parseCommand = (words: readonly string[]): Command | undefined => {
  const { values, positionals } = parse(words);
  if (values.help) return undefined;
  const [name, where, path = '', ...more] = positionals;
  if (!isCommand(name)) throw unusable(`the command must be one of ${commands.join(', ')}; --help explains them`);
  if (!where) throw unusable(`${name}: where? s3://bucket/path, gs://bucket/path or a folder`);
  if (more.length > 0 || (path !== '' && name !== 'ls' && name !== 'cat')) throw unusable(`${name}: there is a word too many`);
  if (name === 'cat' && path === '') throw unusable('cat: which document? Its path, such as users/ada');
  for (const option of Object.keys(values)) {
    const owner = onlyOf[option];
    if (owner !== undefined && owner !== name) throw unusable(`--${option} is an option of ${owner}`);
  }
  if (values.quick && values.full) throw unusable('--quick or --full, not both');
  return {
    ...{ name, location: where, path, endpoint: values.endpoint, region: values.region, out: values.out, digest: values.digest },
    ...{ keyFile: values['key-file'], passphraseFile: values['passphrase-file'], passphrase: values.passphrase },
    ...{ kmsEndpoint: values['kms-endpoint'], kmsKey: values['kms-key'], force: values.force ?? false },
    collections: values.collection ?? [],
    users: values.users ?? false,
    depth: values.quick ? 'quick' : values.full ? 'full' : 'whole',
  };
};

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Its first sentence names the option; the rest may repeat what was typed.
    throw unusable(`${(error as Error).message.split('. ')[0]}`, error);
  }
};

const isCommand = (name: string | undefined): name is CommandName => (commands as readonly (string | undefined)[]).includes(name);
