import { evidence } from '../../shared/contract/endpoints/protection/evidence.ts';
import { handle } from '../../shared/http/index.ts';
import { evidenceKeys } from '../../shared/platform/index.ts';
import { readReport, reportPage, reportPeriod, reportPolicy } from '../../shared/restore-test/index.ts';

const json = 'application/json; charset=utf-8';

export const keys = handle(evidence.keys, async () => ({
  file: {
    body: JSON.stringify({ keys: await evidenceKeys() }),
    contentType: json,
    headers: { 'cache-control': 'public, max-age=300' },
  },
}));

export const report = handle(evidence.report, async ({ tenant, organization, actor, query, now }) => {
  const period = reportPeriod(query, now);
  const generatedBy = actor;
  const data = await readReport(tenant, { organization, generatedBy, period, projectId: query.projectId, now });
  if (query.format === 'json') return { file: { body: JSON.stringify({ success: true, data }), contentType: json } };
  return {
    file: {
      body: reportPage(data),
      contentType: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': reportPolicy, 'referrer-policy': 'no-referrer' },
    },
  };
});
