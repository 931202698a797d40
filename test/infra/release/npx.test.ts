/** Packages of a release in empty folders, as npx and npm install them with all that they declare: from a registry. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from 'vitest';
import type { Template } from '../../../infra/local/cloudformation/read-template.ts';
import { bms } from '../../../infra/release/bms/bms.ts';
import { construct } from '../../../infra/release/construct/construct.ts';
import { local } from '../../../infra/release/local/local.ts';
import { version } from '../../../shared/contract/version.ts';
import { root } from '../../harness/law/source-files.ts';
import { settings, templatesOf } from '../../harness/law/templates.ts';
import { installedNodes } from '../../harness/release/installed-nodes.ts';
import { type LocalRegistry, startLocalRegistry } from '../../harness/release/local-registry.ts';
import { tinyRelease } from '../../harness/release/tiny-release.ts';
import { buildArtifact } from '../../harness/release/unpack.ts';

const run = promisify(execFile);
const nodes = installedNodes();
const installMs = 600_000;
let registry: LocalRegistry;
beforeAll(async () => {
  registry = await startLocalRegistry();
});
afterAll(() => registry.close());

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'npx-'));
/** npx is a script, which runs with the first Node of the path. */
const environment = (node: string) => ({
  PATH: `${dirname(node)}:${process.env.PATH}`,
  ...registry.env(mkdtempSync(join(tmpdir(), 'home-'))),
});

test(
  'npx bms: prints its version in an empty folder, with every Node on this machine',
  async () => {
    const built = await buildArtifact(bms);
    for (const node of nodes) {
      const cwd = emptyFolder();
      cpSync(join(built, `bms-${version}.tgz`), join(cwd, `bms-${version}.tgz`));
      const { stdout } = await run('npx', ['--yes', `./bms-${version}.tgz`, '--version'], { cwd, env: environment(node) });
      match(stdout, new RegExp(`^${version.replaceAll('.', '\\.')} \\(`), node);
    }
  },
  installMs,
);

// On Linux an older Node is enough: npm installs the one that the stage needs.
test(
  'npx local: installs what it needs and starts the stage',
  async () => {
    const built = await buildArtifact(local);
    const cwd = emptyFolder();
    cpSync(join(built, `local-${version}.tgz`), join(cwd, `local-${version}.tgz`));
    const ports = { PORT: '0', IDP_PORT: '0', S3_PORT: '0', GCS_PORT: '0', FIRESTORE_PORT: '0' };
    const oldest = nodes.at(-1) ?? process.execPath;
    const stage = spawn('npx', ['--yes', `./local-${version}.tgz`], {
      cwd,
      env: { ...environment(oldest), ...ports, DEMO: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    try {
      const url = await new Promise<string>((done, fail) => {
        let printed = '';
        for (const stream of [stage.stdout, stage.stderr])
          stream.on('data', (part: Buffer) => {
            printed += part.toString();
            const [, address] = /^ready (\S+)$/m.exec(printed) ?? [];
            if (address) done(address);
          });
        stage.once('exit', (code) => fail(new Error(`npx ended with ${code}: ${printed}`)));
      });
      equal((await fetch(`${url}/health`)).status, 200);
    } finally {
      stage.removeAllListeners('exit');
      process.kill(-(stage.pid ?? 0), 'SIGKILL');
    }
  },
  installMs,
);

/** The code differs: a line of text there, an asset here. */
const comparable = ({ Resources, Outputs = {} }: Template) => ({
  Resources: Object.fromEntries(
    Object.entries(Resources).map(([id, resource]) => [
      id,
      resource.Type === 'AWS::Lambda::Function'
        ? { ...resource, Metadata: 'paths of assets', Properties: { ...resource.Properties, Code: 'code' } }
        : resource,
    ]),
  ),
  Outputs,
});

// `cdk init` writes these flags into the cdk.json of every new app.
test(
  'npm install construct: with its peers, in an app with all flags of cdk init, it makes what cdk deploy makes',
  async () => {
    const cwd = emptyFolder();
    const { files } = await construct.build(tinyRelease(cwd));
    writeFileSync(join(cwd, 'construct.tgz'), Object.values(files)[0] ?? '');
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
    await run('npm', ['install', './construct.tgz', 'aws-cdk-lib', 'constructs'], { cwd, env: environment(process.execPath) });
    const flagsFile = join(root, 'node_modules/aws-cdk/lib/init-templates/.recommended-feature-flags.json');
    const flags = JSON.parse(readFileSync(flagsFile, 'utf8')) as Readonly<Record<string, unknown>>;
    ok(Object.keys(flags).length > 30);
    const given = {
      ...settings,
      alarmEmail: 'alarms@example.com',
      domainName: 'backups.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/1',
    };
    const { allowedOrigins, allowedRedirectUris, ...more } = given;
    const props = { ...more, allowedOrigins: [allowedOrigins], allowedRedirectUris: [allowedRedirectUris] };
    writeFileSync(
      join(cwd, 'app.js'),
      `const { App } = require('aws-cdk-lib');
const { BackupManagementService } = require('construct');
const app = new App({ context: ${JSON.stringify(flags)}, outdir: 'cdk.out', analyticsReporting: false });
const backups = new BackupManagementService(app, 'Backups', ${JSON.stringify(props)});
if (backups.domainTarget === undefined || backups.nextSteps.length !== 5) throw new Error('outputs are missing');
app.synth();`,
    );
    await run(process.execPath, ['app.js'], { cwd, env: environment(process.execPath) });
    const { artifacts } = JSON.parse(readFileSync(join(cwd, 'cdk.out/manifest.json'), 'utf8')) as {
      readonly artifacts: Readonly<
        Record<
          string,
          { readonly type: string; readonly properties: { readonly stackName?: string; readonly templateFile: string } }
        >
      >;
    };
    for (const [id, template] of templatesOf(given)) {
      const theirs = Object.values(artifacts).find(
        ({ type, properties }) =>
          type === 'aws:cloudformation:stack' && properties.stackName === `backup-management-service-${id.toLowerCase()}`,
      );
      const text = readFileSync(join(cwd, 'cdk.out', theirs?.properties.templateFile ?? ''), 'utf8');
      deepEqual(comparable(JSON.parse(text) as Template), comparable(template as unknown as Template), id);
    }
  },
  installMs,
);
