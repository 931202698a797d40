import { reports } from '../../shared/contract/endpoints/protection/reports.ts';
import { handle } from '../../shared/http/index.ts';
import { protectionCsv, protectionPage, readProtectionReport } from '../../shared/report/index.ts';
import { reportPeriod, reportPolicy, tooLong } from '../../shared/restore-test/index.ts';

/** A Lambda response is at most 6 MB of JSON, in which a quote of the body takes two bytes. */
const answerMaxBytes = 5 * 1_024 * 1_024;

export const protection = handle(reports.protection, async ({ tenant, organization, actor, query, now }) => {
  const period = reportPeriod(query, now);
  const data = await readProtectionReport(tenant, { organization, generatedBy: actor, period, now });
  const file = {
    json: () => ({ body: JSON.stringify({ success: true, data }), contentType: 'application/json; charset=utf-8' }),
    csv: () => ({
      body: protectionCsv(data),
      contentType: 'text/csv; charset=utf-8; header=absent',
      headers: {
        'content-disposition': `attachment; filename="protection-${data.from.slice(0, 10)}-${data.to.slice(0, 10)}.csv"`,
      },
    }),
    html: () => ({
      body: protectionPage(data),
      contentType: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': reportPolicy, 'referrer-policy': 'no-referrer' },
    }),
  }[query.format]();
  if (Buffer.byteLength(JSON.stringify(file.body)) > answerMaxBytes) throw tooLong('entries', period, 0.5);
  return { file };
});
