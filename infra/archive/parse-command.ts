/** Parses the command line. */
import { parseArgs } from 'node:util';
import type { KeyOptions } from './data-keys.ts';
import { type NamedBackup, parseDatabaseList } from './database-list.ts';
import { type ExportFormat, type ExportOptions, exportFormats, isFolderFormat } from './export/export-options.ts';
import { unusable } from './failure.ts';
import { isOrigin } from './is-origin.ts';
import type { BucketAccess } from './open-location.ts';

export const usage = `bms archive <command> <location> [path] [options]

Reads backups directly from storage. It needs the bucket and the key; the
service need not be running.

  ls <location> [path]    list the backups of a folder, the collections of a
                          backup or the documents of a collection
  cat <location> <path>   print one document as Firestore REST JSON;
                          accounts/<uid> prints a user
  export <location>       write all documents as NDJSON in the same format, as
                          plain NDJSON, CSV, Parquet or Google's export format
  open <location>         serve the backup as a Firestore on this machine, with
                          its users, until Ctrl-C: clients read it, and what
                          they write stays on this machine
  config <location> [other]
                          print what surrounded the documents: settings of the
                          database, indexes, TTL policies, security rules; or
                          what differs in the backup at the location [other]
  verify <location>       read every byte: sizes, hashes, frames and counts
  key <location>          print the data key, to be stored offline
  verify-evidence <file>  check the signed evidence of a restore test, a file or
                          s3://… or gs://…; needs no key of the backup

<location> is s3://bucket/path, gs://bucket/path or a local folder: a backup, or
a folder that contains backups. An incremental backup references records of
earlier backups. Their folders, named by backup id, must be next to it.
S3 and KMS use the standard AWS credential chain, or a profile of the AWS
configuration each: --profile, --kms-profile. For Google,
GOOGLE_APPLICATION_CREDENTIALS names a service account key file.

  --json                  print one JSON value; cat and export print JSON anyway
  --quiet                 print only names, results and errors: no notes, no
                          progress
  --endpoint URL          endpoint of an S3- or GCS-compatible store
  --region NAME           region of the bucket
  --profile NAME          AWS profile with the credentials for the bucket
The key of the backup, in order of precedence:
  --key-file FILE         a data key as printed by "key"; or ARCHIVE_KEY
  --passphrase-file FILE  the organization's passphrase; or ARCHIVE_PASSPHRASE;
                          --passphrase prompts for it
  --kms-key ARN           the only KMS key that may open the backup; needs AWS
                          credentials that may decrypt
  --kms-endpoint URL      KMS endpoint, if it is not AWS
  --kms-profile NAME      AWS profile with the credentials for KMS; default: not
                          that of the bucket, but the standard chain
If a key, a passphrase or a KMS key is given, nothing else opens the backup. If
none is given, the KMS key that the object "key" names is used, even if it is
not yours: check the key that verify reports.
Documents that the erasure ledger beside the backup names are not shown. If the
ledger is missing although the backup states that it has one, nothing is:
  --show-erased-documents-if-ledger-is-missing
                          read the backup without its ledger
export:
  --collection PATH       only this collection and everything below it; may be
                          repeated
  --format FORMAT         ndjson-typed (default): Firestore REST JSON, exact
                          ndjson: plain JSON, a line per document
                          csv, parquet: a table for each collection id
                          google: what gcloud firestore import, BigQuery and the
                          Firebase emulator read
                          The last three need --out, which becomes a folder
  --columns FIELDS        of csv: these fields, separated by commas, such as
                          __path__,email,address.city; default: all. With
                          default columns csv reads the backup twice, as parquet
                          does
  --exact-text            of csv: do not put ' before a text that a spreadsheet
                          would run as a formula
  --mask FILE             mask documents by the rules of this file; the key is
                          random, and is not kept
  --users                 export the users of Firebase Authentication instead of
                          documents
  --out FILE              write to FILE, or into this folder, which appears once
                          it is complete; default: stdout
  --force                 replace FILE.partial, left by an export that was
                          killed or is still running
open:
  --port NUMBER           the port of 127.0.0.1; default: 8080
  --overlay FOLDER        keep what is written in FOLDER, and go on from there
                          when the same backup is opened again
  --mask FILE             mask documents by the rules of this file, and serve
                          no users; the key is random, and kept with an overlay
  --databases LIST        serve several backups in the folder <location> as
                          databases of one project: monday=bkp_…,tuesday=bkp_…
  --allow-origin ORIGIN   web pages of this address may use it, too, such as
                          https://staging.example.com; may be repeated
verify:
  --digest TEXT           the manifest must have this digest
  --quick                 check only the index and that every object exists with
                          its size
  --full                  also decode every document
verify-evidence:
  --key KEY               the key that must have signed it: its fingerprint, or
                          a file with the public key (PEM, JWK or JWK set) such
                          as https://<service>/.well-known/evidence-keys.json
  --backup LOCATION       the backup that was tested: its manifest must be the
                          one in the evidence; default: the folder of the backup
                          beside the evidence or its folder, if there is one

Examples:
  $ bms archive ls s3://backups
  $ bms archive verify s3://backups/<project>/<backup>
  $ bms archive cat s3://backups/<project>/<backup> users/ada
  $ bms archive open s3://backups/<project>/<backup> --port 8080
  $ bms archive config ./copy/<backup> ./copy/<earlier backup>
  $ bms archive verify-evidence rtr_01JZ8Q4V0M6T.json --key keys.json
  $ bms archive export ./copy/<backup> --passphrase --out documents.ndjson
  $ bms archive export ./copy/<backup> --format parquet --out ./tables

Exit codes: 0 success; 1 the backup is damaged, or the evidence was altered or
signed by another key; 2 invalid usage, or the backup or the evidence cannot be
reached or opened. Genuine evidence of a failed test is a success.`;

export const commands = ['ls', 'cat', 'export', 'open', 'config', 'verify', 'key', 'verify-evidence'] as const;
type CommandName = (typeof commands)[number];
const takesPath: readonly CommandName[] = ['ls', 'cat', 'config'];

export interface Command extends BucketAccess, KeyOptions, ExportOptions {
  readonly name: CommandName;
  readonly location: string;
  /** Within the backup; of `config` the location of another one. */
  readonly path: string;
  readonly port: number;
  readonly overlay: string | undefined;
  readonly databases: readonly NamedBackup[] | undefined;
  readonly allowedOrigins: readonly string[];
  readonly json: boolean;
  readonly quiet: boolean;
  readonly digest: string | undefined;
  readonly depth: 'quick' | 'whole' | 'full';
  readonly allowMissingLedger: boolean;
  readonly key: string | undefined;
  readonly backup: string | undefined;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
export const options = {
  endpoint: text,
  region: text,
  profile: text,
  'kms-endpoint': text,
  'kms-profile': text,
  'kms-key': text,
  'key-file': text,
  'passphrase-file': text,
  passphrase: flag,
  collection: { type: 'string', multiple: true },
  users: flag,
  format: text,
  columns: text,
  'exact-text': flag,
  mask: text,
  out: text,
  force: flag,
  port: text,
  overlay: text,
  databases: text,
  'allow-origin': { type: 'string', multiple: true },
  'show-erased-documents-if-ledger-is-missing': flag,
  digest: text,
  quick: flag,
  full: flag,
  key: text,
  backup: text,
  json: flag,
  quiet: { type: 'boolean', short: 'q' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The commands that know an option; all know the others. */
const ownersOf: Readonly<Record<string, readonly CommandName[]>> = {
  collection: ['export'],
  users: ['export'],
  format: ['export'],
  columns: ['export'],
  'exact-text': ['export'],
  mask: ['export', 'open'],
  out: ['export'],
  force: ['export'],
  port: ['open'],
  overlay: ['open'],
  databases: ['open'],
  'allow-origin': ['open'],
  quick: ['verify'],
  full: ['verify'],
  key: ['verify-evidence'],
  backup: ['verify-evidence'],
};

/** Undefined if help was requested. Messages do not repeat arguments, which might be secrets. */
export const parseCommand = (args: readonly string[]): Command | undefined => {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [name, location, path = '', ...more] = positionals;
  if (!isCommand(name)) throw unusable(`the command must be one of ${commands.join(', ')}; see --help`);
  if (!location && name === 'verify-evidence') throw unusable('verify-evidence: file missing, such as rtr_….json');
  if (!location) throw unusable(`${name}: location missing: s3://bucket/path, gs://bucket/path or a folder`);
  if (more.length > 0 || (path !== '' && !takesPath.includes(name))) throw unusable(`${name}: too many arguments`);
  if (name === 'cat' && path === '') throw unusable('cat: document path missing, such as users/ada');
  for (const option of Object.keys(values)) {
    const owners = ownersOf[option];
    if (owners && !owners.includes(name)) throw unusable(`--${option} is only valid with ${owners.join(' and ')}`);
  }
  if (values.quick && values.full) throw unusable('--quick and --full exclude each other');
  const format = formatOf(values.format);
  if (isFolderFormat(format) && values.out === undefined)
    throw unusable(`--format ${format} needs --out, which becomes a folder`);
  for (const option of ['columns', 'exact-text'] as const)
    if (values[option] !== undefined && format !== 'csv') throw unusable(`--${option} is only valid with --format csv`);
  for (const option of ['format', 'mask'] as const)
    if (values[option] !== undefined && values.users) throw unusable(`--${option} and --users exclude each other`);
  return {
    name,
    location,
    path,
    endpoint: values.endpoint,
    region: values.region,
    profile: values.profile,
    keyFile: values['key-file'],
    passphraseFile: values['passphrase-file'],
    passphrase: values.passphrase,
    kmsKey: values['kms-key'],
    kmsEndpoint: values['kms-endpoint'],
    kmsProfile: values['kms-profile'],
    out: values.out,
    force: values.force ?? false,
    port: portOf(values.port),
    overlay: values.overlay,
    databases: values.databases === undefined ? undefined : parseDatabaseList(values.databases),
    allowedOrigins: originsOf(values['allow-origin']),
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    digest: values.digest,
    allowMissingLedger: values['show-erased-documents-if-ledger-is-missing'] ?? false,
    collections: values.collection ?? [],
    users: values.users ?? false,
    format,
    columns: values.columns === undefined ? undefined : columnsOf(values.columns),
    exactText: values['exact-text'] ?? false,
    mask: values.mask,
    depth: values.quick ? 'quick' : values.full ? 'full' : 'whole',
    key: values.key,
    backup: values.backup,
  };
};

const formatOf = (text = 'ndjson-typed'): ExportFormat => {
  const format = exportFormats.find((one) => one === text);
  if (format === undefined) throw unusable(`--format must be one of ${exportFormats.join(', ')}`);
  return format;
};

/** Commas separate columns, except in back-quotes. */
const columnsOf = (text: string): readonly string[] => {
  const columns = [...text.matchAll(/(?:`(?:[^`\\]|\\.)*`|[^,`])+/gs)].map(([column]) => column.trim());
  if (columns.length === 0 || columns.includes('')) throw unusable('--columns: names fields, separated by commas');
  return columns;
};

const portOf = (text = '8080'): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw unusable('--port: must be a whole number up to 65535; 0 chooses a free port');
  return port;
};

const originsOf = (origins: readonly string[] = []): readonly string[] => {
  if (origins.every(isOrigin)) return origins;
  throw unusable('--allow-origin: must be such as https://staging.example.com');
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: withDigests(args), options, allowPositionals: true, strict: true });
  } catch (error) {
    // The first sentence names the option; the rest may repeat the argument.
    throw unusable(`${(error as Error).message.split('. ')[0]}`, error);
  }
};

/** One in 64 digests begins with a hyphen: its value is not an option. */
const withDigests = (args: readonly string[]): string[] =>
  args.flatMap((arg, n) => {
    const isDigest = (text: string | undefined): boolean => /^-[\w-]{42}$/.test(text ?? '');
    const takesDigest = (option: string | undefined): boolean => option === '--key' || option === '--digest';
    if (isDigest(arg) && takesDigest(args[n - 1])) return [];
    return takesDigest(arg) && isDigest(args[n + 1]) ? [`${arg}=${args[n + 1]}`] : [arg];
  });

const isCommand = (name: string | undefined): name is CommandName => (commands as readonly (string | undefined)[]).includes(name);
