export { protectionCsv } from './protection-csv.ts';
export { protectionPage } from './protection-page.ts';
export { readProtectionReport } from './read-protection-report.ts';
export { readResourceNames } from './resource-names.ts';
