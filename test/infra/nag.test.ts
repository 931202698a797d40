/** cdk-nag's AwsSolutions and Serverless packs, and the CDK's own validation. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type CfnResource, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { test } from 'vitest';
import { buildApp } from '../../infra/app.ts';
import { readConfig } from '../../infra/config.ts';
import { acceptances, withNag } from '../../infra/nag.ts';
import { inlineCode, settings } from '../harness/law/templates.ts';

interface Finding {
  readonly ruleName: string;
  /** For accepted findings: the acceptance and its location. */
  readonly acknowledgedAt?: string;
  readonly reason?: string;
}
interface Report {
  readonly pluginReports: readonly {
    readonly pluginName: string;
    readonly violations: readonly Finding[];
    readonly suppressedViolations?: readonly Finding[];
  }[];
}

/** The report of the packs and the validation; the validation is absent without findings. */
const reportOf = (fill: (app: App) => void): Report => {
  const outdir = mkdtempSync(join(tmpdir(), 'nag-'));
  const app = new App({ outdir });
  fill(app);
  try {
    withNag(app).synth();
  } catch (error) {
    // A finding fails the synthesis after the report is written.
    assert.equal((error as Error).name, 'ValidationFailed');
  }
  const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as Report;
  rmSync(outdir, { recursive: true });
  return report;
};

const report = reportOf((app) => buildApp({ config: readConfig(settings), code: inlineCode }, app));

test('nag: every finding has a reason', () => {
  assert.deepEqual(report.pluginReports.map(({ pluginName }) => pluginName).sort(), ['AwsSolutions', 'Serverless']);
  assert.deepEqual(
    report.pluginReports.flatMap(({ violations }) => violations),
    [],
  );
});

test('nag: every reason accepts each rule it names at the place it names', () => {
  const found = report.pluginReports.flatMap(({ suppressedViolations = [] }) => suppressedViolations);
  const isNeeded = ({ path, reason }: (typeof acceptances)[number], rule: string): boolean =>
    found.some((one) => one.ruleName === rule && one.reason === reason && path.test(one.acknowledgedAt ?? ''));
  assert.deepEqual(
    acceptances.flatMap((accepted) =>
      accepted.rules.filter((rule) => !isNeeded(accepted, rule)).map((rule) => [accepted.path, rule]),
    ),
    [],
  );
});

test('nag: a reason is a sentence and covers only one kind of construct', () => {
  for (const { path, reason } of acceptances) {
    assert.match(reason, /^[A-Z].{15,}\.$/, String(path));
    assert.match(path.source, /^\^(Data|Engine|Api|Extension|\((Api\|Engine\|)?(Api\|)?Extension\))\\\/.*\$$/);
  }
});

test('nag: a queue without dead-letter queue and an unknown property are found', () => {
  const { pluginReports } = reportOf((app) => {
    const queue = new Queue(new Stack(app, 'Engine'), 'Forgotten');
    (queue.node.defaultChild as CfnResource).addPropertyOverride('Nonsense', true);
  });
  const found = pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
  assert.ok(found.includes('AwsSolutions-SQS3'), String(found));
  assert.ok(found.includes('F3002'), String(found));
});
