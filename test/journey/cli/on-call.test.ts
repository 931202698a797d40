/** The person on call, by the command line: incidents, the report of a period, and joining an organization. */
import { equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { type Bms, openBms } from '../../harness/env/run-bms.ts';
import { newProject } from '../../harness/stage/backup.ts';
import { stageUrl } from '../../harness/stage/client.ts';
import { putIncident } from '../../harness/stage/incident.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { newEmail, signIn } from '../../harness/stage/person.ts';

let organization: Awaited<ReturnType<typeof newOrganization>>;
let bms: Bms;

beforeAll(async () => {
  organization = await newOrganization();
  bms = openBms({ BMS_URL: stageUrl(), BMS_TOKEN: organization.owner.accessToken, BMS_ORGANIZATION: organization.id });
});

/** What a command prints, if it ends so. */
const endsWith = async (run: Bms, code: number, args: readonly string[]): Promise<string> => {
  const { code: ended, out, err } = await run.run(args);
  equal(ended, code, err);
  return out + err;
};

test('bms incidents: lists, acknowledges, assigns and mutes one, and shows its timeline', async () => {
  const id = await putIncident(organization.id, await newProject(organization, { name: 'Shop' }));
  const { email } = organization.owner;
  match(await endsWith(bms, 0, ['incidents', 'ls', '--project', 'shop']), new RegExp(`${id} .*open +A backup failed`));
  equal(await endsWith(bms, 0, ['incidents', 'ls', '--status', 'recovered', '--quiet']), '');
  match(await endsWith(bms, 0, ['incidents', 'ack', id, '--note', 'On it']), /^Acknowledged A backup failed/);
  match(await endsWith(bms, 0, ['incidents', 'assign', id]), new RegExp(`is assigned to ${email}`));
  match(await endsWith(bms, 2, ['incidents', 'assign', id, email, '--none']), /--none and a member exclude each other/);
  match(await endsWith(bms, 4, ['incidents', 'assign', id, 'no.one@example.com']), /no member with the address/);
  match(await endsWith(bms, 0, ['incidents', 'mute', id, '--until', '2d']), /is muted until \d{4}-/);
  match(await endsWith(bms, 0, ['incidents', 'unmute', id]), /is not muted/);
  match(await endsWith(bms, 0, ['incidents', 'show', id]), /Note +On it[\s\S]*assigned/i);
});

test('bms report: shows the counts, and writes each format to a file', async () => {
  match(await endsWith(bms, 0, ['report', '--from', '7d']), /^Restore tests +0 passed, 0 failed, 1 of 1 projects not tested/m);
  const file = join(bms.env.XDG_CONFIG_HOME, 'report');
  match(await endsWith(bms, 0, ['report', '--csv', '--out', file]), new RegExp(`Wrote ${file}`));
  equal(
    parseCsv(readFileSync(file, 'utf8')).some(([list, project]) => list === 'Backups by project' && project === 'Shop'),
    true,
  );
  await endsWith(bms, 0, ['report', '--html', '--out', file]);
  match(readFileSync(file, 'utf8'), /^<!doctype html>/i);
  equal(JSON.parse((await bms.run(['report', '--json'])).out).organization.id, organization.id);
  match(await endsWith(bms, 2, ['report', '--csv', '--html']), /--csv and --html exclude each other/);
  match(await endsWith(bms, 2, ['report', '--out', file]), /--out needs a format/);
  match(await endsWith(bms, 2, ['report', '--from', '2020-01-01']), /--from: must be at most 366 days before to/);
});

test('bms orgs: an invitation is seen and accepted without its link', async () => {
  const guest = await signIn(newEmail('guest'));
  const theirs = openBms({ BMS_URL: stageUrl(), BMS_TOKEN: guest.accessToken });
  match(await endsWith(theirs, 0, ['orgs', 'invitations']), /No organization invites you/);
  await endsWith(bms, 0, ['invites', 'create', guest.email, '--role', 'member']);
  match(
    await endsWith(theirs, 0, ['orgs', 'invitations']),
    new RegExp(`${organization.id} .*member +${organization.owner.email}`),
  );
  match(await endsWith(theirs, 4, ['orgs', 'join', 'Nowhere']), /no invitation named/);
  match(await endsWith(theirs, 0, ['orgs', 'join', organization.id]), /^Joined .* as member/);
  match(await endsWith(theirs, 0, ['projects', '--organization', organization.id]), /Shop/);
  match(await endsWith(theirs, 0, ['orgs', 'invitations']), /No organization invites you/);
});
