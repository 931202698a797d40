/** The commands of `gcloud` that set up workload identity federation, applied to the stage. An unknown command or flag is an error. */
import { type GoogleIam, projectNumberOf } from './google-iam.ts';

interface Parsed {
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

type Command = (iam: GoogleIam, subject: string, flag: (name: string) => string) => unknown;

interface Spec {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  readonly run: Command;
}

const pools = 'iam workload-identity-pools';
const at = ['project', 'location'];
const inPool = [...at, 'workload-identity-pool'];

const commands: Readonly<Record<string, Spec>> = {
  [`${pools} create`]: {
    required: at,
    optional: ['display-name', 'description'],
    run: (iam, poolId, flag) => iam.createPool(flag('project'), poolId),
  },
  [`${pools} delete`]: { required: at, run: (iam, poolId, flag) => iam.deletePool(flag('project'), poolId) },
  [`${pools} providers delete`]: {
    required: inPool,
    run: (iam, providerId, flag) => iam.deleteProvider(flag('project'), flag('workload-identity-pool'), providerId),
  },
  ...Object.fromEntries(
    ['create-aws', 'update-aws'].map((verb): [string, Spec] => [
      `${pools} providers ${verb}`,
      {
        required: [...inPool, 'account-id'],
        optional: ['attribute-mapping', 'attribute-condition', 'display-name'],
        run: (iam, providerId, flag) =>
          iam.setProvider(flag('project'), flag('workload-identity-pool'), {
            id: providerId,
            accountId: flag('account-id'),
            mapping: flag('attribute-mapping') || 'google.subject=assertion.arn',
            condition: flag('attribute-condition') || 'true',
          }),
      },
    ]),
  ),
  'projects add-iam-policy-binding': binding('projects', 'addBinding'),
  'projects remove-iam-policy-binding': binding('projects', 'removeBinding'),
  'iam service-accounts add-iam-policy-binding': binding('serviceAccounts', 'addBinding'),
  'iam service-accounts remove-iam-policy-binding': binding('serviceAccounts', 'removeBinding'),
  'storage buckets add-iam-policy-binding': binding('buckets', 'addBinding'),
  'storage buckets remove-iam-policy-binding': binding('buckets', 'removeBinding'),
  'projects describe': { required: ['format'], run: (_, projectId) => projectNumberOf(projectId) },
};

function binding(kind: 'projects' | 'serviceAccounts' | 'buckets', change: 'addBinding' | 'removeBinding'): Spec {
  return {
    required: ['role', 'member'],
    optional: ['condition', 'project'],
    run: (iam, subject, flag) => {
      if ((kind === 'buckets') !== subject.startsWith('gs://')) throw new Error(`invalid value ${subject}`);
      iam[change]({ resource: `${kind}/${subject.replace('gs://', '')}`, member: flag('member'), role: flag('role') });
    },
  };
}

/** Runs one command line, without the word `gcloud`. Throws with a message for the person. */
export const runGcloud = (iam: GoogleIam, args: readonly string[]): string => {
  const { words, flags } = parse(args);
  const [subject = '', ...verb] = [...words].reverse();
  const name = verb.reverse().join(' ');
  const spec = commands[name];
  if (!spec) throw new Error(`the stage does not support: gcloud ${words.join(' ')}`);
  const known = [...spec.required, ...(spec.optional ?? [])];
  for (const flag of flags.keys()) if (!known.includes(flag)) throw new Error(`unrecognized arguments: --${flag}`);
  for (const flag of spec.required) if (!flags.get(flag)) throw new Error(`argument --${flag}: must be specified.`);
  if (flags.has('location') && flags.get('location') !== 'global')
    throw new Error('INVALID_ARGUMENT: the location must be global');
  return String(spec.run(iam, subject, (flag) => flags.get(flag) ?? '') ?? '');
};

/** `--flag=value` and `--flag value`. */
const parse = (args: readonly string[]): Parsed => {
  const words: string[] = [];
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, name, value] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name === undefined) words.push(word);
    else flags.set(name, value ?? args[++at] ?? '');
  }
  return { words, flags };
};
