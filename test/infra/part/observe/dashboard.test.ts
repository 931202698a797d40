/** One dashboard shows every alarm and metric within CloudWatch's limits. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { logLines } from '../../../../shared/contract/runtime/alarm-log-lines.ts';
import { metricNamespace, metrics } from '../../../../shared/contract/runtime/metric-names.ts';
import { resourcesOf, templatesOf } from '../../../harness/law/templates.ts';

interface Widget {
  readonly type: 'metric' | 'alarm' | 'text';
  readonly x: number;
  readonly width: number;
  readonly properties: {
    readonly title?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
    readonly markdown?: string;
  };
}

const templates = templatesOf();
const resources = resourcesOf(templates);
const dashboards = resources.filter(({ type }) => type === 'AWS::CloudWatch::Dashboard');
const { 'Fn::Join': joined } = dashboards[0]!.properties.DashboardBody as { 'Fn::Join': readonly [string, readonly unknown[]] };
/** References as text, which is longer than their values. */
const body = joined[1].map((part) => (typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', "'"))).join('');
const { widgets } = JSON.parse(body) as { widgets: readonly Widget[] };
const graphed = widgets.flatMap(({ properties }) => properties.metrics ?? []);
const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []).map((arn) => arn.slice(arn.lastIndexOf(':') + 1));
const alarms = resources.filter(({ type }) => type === 'AWS::CloudWatch::Alarm').map(({ properties }) => properties);

test('dashboard: there is one, and its name includes the region because dashboards are global', () => {
  assert.equal(dashboards.length, 1);
  assert.match(JSON.stringify(dashboards[0]?.properties.DashboardName), /AWS::Region/);
});

test('dashboard: every alarm is shown once, in its section', () => {
  assert.deepEqual([...shown].sort(), alarms.map(({ AlarmName }) => AlarmName).sort());
  const titles = widgets.flatMap(({ properties: { markdown, alarms: its } }) => markdown?.split('\n')[0] ?? its ?? []);
  const sectionOf = (name: string) =>
    titles
      .slice(
        0,
        titles.findIndex((title) => title.endsWith(`:${name}`)),
      )
      .findLast((title) => title.startsWith('## '));
  for (const [name, section] of [
    ['backup-service-table-read-throttles', '## Health'],
    ['backup-service-api-5xx', '## API'],
    ['backup-service-schedule-overdue', '## Backups, schedules and retention'],
    ['backup-service-restore-write-errors', '## Restores'],
    ['backup-service-capture-stopped', '## Point-in-time recovery'],
    ['backup-service-delivery-retry-backlog', '## Webhooks'],
  ] as const)
    assert.equal(sectionOf(name), section);
});

test('dashboard: the metric of every alarm is shown in its section', () => {
  const lines = new Set(graphed.map(([namespace, name]) => `${namespace} ${name}`));
  for (const { Namespace, MetricName } of alarms) assert.ok(lines.has(`${Namespace} ${MetricName}`), String(MetricName));
});

test('dashboard: every metric of the service and every counted log line has a graph', () => {
  const ours = graphed.filter(([namespace]) => namespace === metricNamespace).map(([, name]) => String(name));
  const counted = Object.keys(logLines).map((line) => line.replace(/^./, (letter) => letter.toUpperCase()));
  assert.deepEqual([...new Set(ours)].sort(), [...Object.keys(metrics), ...counted].sort());
});

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
test('dashboard: it is within CloudWatch’s limits for widgets, alarms, metrics and columns', () => {
  assert.ok(widgets.length <= 500);
  for (const { type, x, width, properties } of widgets) {
    assert.ok(['metric', 'alarm', 'text'].includes(type) && x + width <= 24);
    assert.ok((properties.alarms ?? []).length <= 100);
    assert.ok((properties.metrics ?? []).length <= 500);
  }
  assert.ok(graphed.length <= 2_500);
});

// With imports an alarm could not be renamed without deploying twice, and the stacks would depend on each other.
test('dashboard: alarms of other stacks are referenced by name, not imported', () => {
  const outputs = [...templates.values()].flatMap(({ Outputs = {} }) => Object.keys(Outputs));
  assert.deepEqual(
    outputs.filter((name) => /^ExportsOutput\w*(RefAlarm|GetAttAlarm)(?!s)/.test(name)),
    [],
  );
});
