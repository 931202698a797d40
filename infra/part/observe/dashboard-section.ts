/** Assigns alarms to sections of the dashboard by name. */
import { Alarm, type CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import { alarmPrefix } from '../deployment-name.ts';
import type { MetricTitle } from './metric-title.ts';

export interface Section {
  readonly name: 'health' | MetricTitle['section'];
  readonly title: string;
  /** Matches alarm names. Alarms that no section matches are shown under overall health. */
  readonly claims?: RegExp;
}

export const sections: readonly Section[] = [
  { name: 'health', title: 'Health' },
  { name: 'api', title: 'API', claims: /^(api|sign-in)-/ },
  { name: 'backups', title: 'Backups, schedules and retention', claims: /^(backup|verify|schedule|retention|key)-/ },
  { name: 'restores', title: 'Restores', claims: /^restore-/ },
  { name: 'captures', title: 'Point-in-time recovery', claims: /^capture-/ },
  { name: 'alerts', title: 'Alerts', claims: /^(incident|alert)-/ },
  { name: 'webhooks', title: 'Webhooks', claims: /^(event-match|deliver|delivery|retry-entry)-/ },
];

/** The name in the template without the common prefix; the construct's own property is a token. */
export const shortName = (alarm: Alarm): string =>
  String((alarm.node.defaultChild as CfnAlarm).alarmName).slice(alarmPrefix(alarm).length);

export const sectionOf = (alarm: Alarm): Section['name'] =>
  sections.find(({ claims }) => claims?.test(shortName(alarm)))?.name ?? 'health';

export const alarmsBelow = (root: IConstruct): readonly Alarm[] =>
  root.node.findAll().filter((construct): construct is Alarm => construct instanceof Alarm);
