import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { type EventName, eventNames, simpleEventNames } from '../../../../shared/contract/events/event-names.ts';
import { backupTriggers } from '../../../../shared/contract/job-enums.ts';
import { matchesEventFilter } from '../../../../shared/webhook/model/event-filter.ts';
import { filterableAttributes } from '../../../../shared/webhook/model/filterable-attributes.ts';
import type { StoredEvent, WebhookFilters } from '../../../../shared/webhook/model/record.ts';
import { sampleOf, webhookOf } from '../../../harness/builders/sample-webhook.ts';

const projectId = 'prj_01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const other = 'prj_01JZ8Q4V0M6T3X9C2B7N5K1HRE';
const scheduleId = 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD';

const passing = (filters: Partial<WebhookFilters>, events: readonly StoredEvent[] = eventNames.map(sampleOf)) =>
  events.filter((event) => matchesEventFilter(webhookOf('standard', ['*'], filters), event)).map(({ type }) => type);

const backupOf = (trigger: string): StoredEvent => {
  const event = sampleOf('backup.completed');
  const { backup } = event.data as { backup: object };
  return { ...event, data: { ...(event.data as object), backup: { ...backup, trigger, scheduleId: null } } };
};
const restoreInto = (targetProjectId: string): StoredEvent => {
  const event = sampleOf('restore.completed');
  const { restore } = event.data as { restore: object };
  return { ...event, data: { ...(event.data as object), restore: { ...restore, targetProjectId } } };
};
const begins = (...prefixes: string[]) => eventNames.filter((name) => prefixes.some((prefix) => name.startsWith(`${prefix}.`)));

describe('filterableAttributes', () => {
  const none = { projectIds: [], trigger: null, scheduleId: null };
  const ofProject = { ...none, projectIds: [projectId] };
  const expected = (name: EventName) => {
    if (name.startsWith('backup.')) return { ...ofProject, trigger: 'scheduled', scheduleId };
    if (/^(restore|export)\./.test(name)) return { ...ofProject, trigger: 'manual' };
    if (name === 'schedule.triggered' || name === 'schedule.failed') return { ...ofProject, trigger: 'scheduled', scheduleId };
    if (name.startsWith('schedule.')) return { ...ofProject, scheduleId };
    return /^(restore_test|pitr|project)\./.test(name) ? ofProject : none;
  };
  for (const name of eventNames) test(name, () => assert.deepEqual(filterableAttributes(sampleOf(name)), expected(name)));

  test('a restore into another project belongs to both projects', () =>
    assert.deepEqual(filterableAttributes(restoreInto(other)).projectIds, [projectId, other]));
});

const incidentOf = (
  subject: { readonly type: string; readonly id: string },
  project: { readonly id: string } | null,
): StoredEvent => {
  const event = sampleOf('incident.opened');
  const { incident } = event.data as { incident: object };
  return { ...event, data: { ...(event.data as object), incident: { ...incident, subject, project } } };
};

test('event filter: an incident passes the filter of its project, and is not told to the webhook it is about', () => {
  const backup = incidentOf({ type: 'backup', id: 'bkp_1' }, { id: projectId });
  assert.deepEqual(passing({ projects: [projectId] }, [backup]), ['incident.opened']);
  assert.deepEqual(passing({ projects: [other] }, [backup]), []);
  const ops = webhookOf('standard', ['*']);
  assert.equal(matchesEventFilter(ops, incidentOf({ type: 'webhook', id: ops.id }, null)), false);
  assert.equal(matchesEventFilter(ops, incidentOf({ type: 'webhook', id: 'whk_other' }, null)), true);
});

describe('event filter: without filters', () => {
  test('the standard format passes every subscribed event', () => {
    assert.deepEqual(passing({}), eventNames);
    const some = eventNames.filter((name) =>
      matchesEventFilter(webhookOf('standard', ['backup.*', 'member.left']), sampleOf(name)),
    );
    assert.deepEqual(some, [...begins('backup'), 'member.left']);
  });

  test('the simple format passes only its nine events, whatever the pattern', () => {
    const told = (events: readonly string[]) =>
      eventNames.filter((name) => matchesEventFilter(webhookOf('simple', events), sampleOf(name)));
    assert.deepEqual(told(['*']), simpleEventNames);
    assert.deepEqual(told(['backup.*']), ['backup.started', 'backup.completed', 'backup.failed']);
    assert.deepEqual(told(['backup.progress', 'storage.*']), []);
  });
});

describe('event filter: with filters', () => {
  test('projects passes events of the listed projects, and none without a project', () => {
    assert.deepEqual(
      passing({ projects: [other, projectId] }),
      begins('backup', 'restore', 'export', 'restore_test', 'pitr', 'schedule', 'project'),
    );
    assert.deepEqual(passing({ projects: [other] }), []);
  });

  test('projects passes a restore if its source or its target is listed', () => {
    assert.deepEqual(passing({ projects: [other] }, [restoreInto(other)]), ['restore.completed']);
    assert.deepEqual(passing({ projects: [projectId] }, [restoreInto(other)]), ['restore.completed']);
  });

  test('trigger passes events with a listed trigger, and none without a trigger', () => {
    for (const trigger of backupTriggers) {
      const all = backupTriggers.filter((one) => passing({ trigger: [trigger] }, [backupOf(one)]).length > 0);
      assert.deepEqual(all, [trigger]);
    }
    assert.deepEqual(passing({ trigger: ['manual'] }), begins('restore', 'export'));
    assert.deepEqual(passing({ trigger: ['scheduled'] }), [...begins('backup'), 'schedule.triggered', 'schedule.failed']);
    assert.deepEqual(passing({ trigger: ['manual', 'scheduled'] }).length, 14);
  });

  test('excludeTrigger drops events with a listed trigger, and no others', () => {
    for (const trigger of backupTriggers) {
      const all = backupTriggers.filter((one) => passing({ excludeTrigger: [trigger] }, [backupOf(one)]).length > 0);
      assert.deepEqual(
        all,
        backupTriggers.filter((one) => one !== trigger),
      );
    }
    assert.deepEqual(
      passing({ excludeTrigger: ['scheduled', 'manual'] }),
      eventNames.filter((name) => filterableAttributes(sampleOf(name)).trigger === null),
    );
  });

  test('all filters must match; excludeTrigger takes precedence over trigger', () => {
    assert.deepEqual(passing({ trigger: ['manual'], excludeTrigger: ['manual'] }), []);
    assert.deepEqual(passing({ projects: [projectId], trigger: ['manual'] }, [backupOf('manual')]), ['backup.completed']);
    assert.deepEqual(passing({ projects: [other], trigger: ['manual'] }, [backupOf('manual')]), []);
  });
});
