import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { buildCli } from '../../bundle/build-cli.ts';
import type { Artifact } from '../artifact.ts';
import { nodeImage } from '../node-image.ts';

/** A GitHub action and a GitLab component that run one script with the command line of this release, named by its digest. */
export const action: Artifact = {
  name: 'action',
  build: async ({ version }) => {
    const digest = createHash('sha256')
      .update((await buildCli()).content)
      .digest('hex');
    const ownFile = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
    const script = ownFile('run.sh');
    return {
      files: {
        'action/action.yml': githubAction({ version, digest, script }),
        'action/templates/bms/template.yml': gitlabComponent({ version, digest, script }),
        'action/README.md': ownFile('README.md'),
      },
    };
  },
};

interface ActionParts {
  readonly version: string;
  readonly digest: string;
  readonly script: string;
}

/** Actions of others are named by commit, because a tag can be moved. */
const setupNode = { uses: 'actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38', version: 'v6.5.0' };

interface ActionInput {
  readonly description: string;
  readonly default?: string;
}

const inputsOf = (digest: string): Readonly<Record<string, ActionInput>> => ({
  command: { description: 'backup, verify (every byte of a stored backup) or restore (into a preview project)' },
  url: { description: 'Address of the service, such as https://backups.example.com' },
  project: { description: 'Name or id of the project that is backed up' },
  backup: { description: 'Id of the backup to verify or restore; the newest good one by default', default: 'latest' },
  'preview-project': {
    description:
      'Name or id of the project to restore into, connected to the service; what the backup does not have is deleted in it',
    default: '',
  },
  sha256: { description: 'Digest of the bms.mjs that the service serves; that of this release by default', default: digest },
});

const variableOf = (input: string): string => `BMS_${input.toUpperCase().replaceAll('-', '_')}`;

const expression = (text: string): string => `\${{ ${text} }}`;

const comment = (version: string): string => `# Backup Management Service ${version}; README.md beside this file explains it.\n`;

const githubAction = ({ version, digest, script }: ActionParts): string => {
  const inputs = Object.entries(inputsOf(digest)).map(([name, input]) => [
    name,
    { ...input, required: input.default === undefined },
  ]);
  const variables = Object.keys(inputsOf(digest)).map((name) => [variableOf(name), expression(`inputs.${name}`)]);
  const document = {
    name: 'Backup Management Service',
    description: 'Backs up a Firestore project, verifies a backup, or restores one into a preview project',
    inputs: {
      ...Object.fromEntries(inputs),
      'api-key': {
        description: 'API key with role member and the scopes backups:read, backups:write, projects:read',
        required: true,
      },
    },
    outputs: {
      backup: { description: 'Id of the backup that was made', value: expression('steps.bms.outputs.backup') },
      restore: { description: 'Id of the restore that was made', value: expression('steps.bms.outputs.restore') },
    },
    runs: {
      using: 'composite',
      steps: [
        { uses: setupNode.uses, with: { 'node-version': 24 } },
        {
          id: 'bms',
          shell: 'bash',
          env: { ...Object.fromEntries(variables), BMS_API_KEY: expression('inputs.api-key') },
          run: script,
        },
      ],
    },
  };
  return (
    comment(version) + stringify(document, { lineWidth: 0 }).replace(setupNode.uses, `${setupNode.uses} # ${setupNode.version}`)
  );
};

const gitlabComponent = ({ version, digest, script }: ActionParts): string => {
  const inputs = Object.entries(inputsOf(digest)).map(([name, input]) => [
    name,
    { ...input, ...(name === 'command' && { options: ['backup', 'verify', 'restore'] }) },
  ]);
  const variables = Object.keys(inputsOf(digest)).map((name) => [variableOf(name), `$[[ inputs.${name} ]]`]);
  const spec = {
    spec: {
      inputs: {
        ...Object.fromEntries(inputs),
        job: { description: 'Name of the job', default: 'bms' },
        stage: { description: 'Stage of the job', default: 'deploy' },
        image: { description: 'An image with Node 24, named by digest', default: nodeImage },
      },
    },
  };
  const job = {
    '$[[ inputs.job ]]': {
      stage: '$[[ inputs.stage ]]',
      image: '$[[ inputs.image ]]',
      // BMS_API_KEY is a masked variable of the GitLab project.
      variables: Object.fromEntries(variables),
      script: [script],
      artifacts: { reports: { dotenv: 'bms.env' } },
    },
  };
  return `${comment(version)}${stringify(spec, { lineWidth: 0 })}---\n${stringify(job, { lineWidth: 0 })}`;
};
