import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { metrics } from '../../../../shared/contract/runtime/metric-names.ts';
import { emitMetric, withLogContext } from '../../../../shared/platform/index.ts';
import { captureLog } from '../../../harness/aws/captured-log.ts';
import { sourcesIn } from '../../../harness/law/source-files.ts';

const { lines, stop } = captureLog();
afterAll(stop);

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
test('emitMetric: the line has the embedded metric format, with numbers at its root and without dimensions', async () => {
  await withLogContext({ organizationId: 'org_1' }, async () => emitMetric('done', { BackupsCompleted: 1, BytesStored: 1_024 }));
  const [line] = lines as { _aws: { Timestamp: number; CloudWatchMetrics: unknown } }[];
  const { _aws, organizationId, message, BackupsCompleted, BytesStored } = line as typeof line & Record<string, unknown>;
  assert.deepEqual([message, organizationId, BackupsCompleted, BytesStored], ['done', 'org_1', 1, 1_024]);
  assert.ok(Math.abs(_aws.Timestamp - Date.now()) < 60_000, 'milliseconds');
  assert.deepEqual(_aws.CloudWatchMetrics, [
    {
      Namespace: 'BackupService',
      Dimensions: [[]],
      Metrics: [
        { Name: 'BackupsCompleted', Unit: 'Count' },
        { Name: 'BytesStored', Unit: 'Bytes' },
      ],
    },
  ]);
});

test('emitMetric: a second deployment in the account has its own namespace', () => {
  process.env.METRIC_NAMESPACE = 'BackupService/staging';
  try {
    emitMetric('second', { BackupsFailed: 1 });
  } finally {
    delete process.env.METRIC_NAMESPACE;
  }
  const line = lines.at(-1) as { _aws?: { CloudWatchMetrics: readonly { Namespace: string }[] } } | undefined;
  assert.equal(line?._aws?.CloudWatchMetrics[0]?.Namespace, 'BackupService/staging');
});

test('emitMetric: every metric is emitted somewhere', () => {
  const elsewhere = sourcesIn('shared', 'functions').filter(({ path }) => path !== 'shared/contract/runtime/metric-names.ts');
  const unmeasured = Object.keys(metrics).filter((name) => !elsewhere.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)));
  assert.deepEqual(unmeasured, []);
});
