export { digestEmail } from './digest-email.ts';
export { digestWeek } from './digest-week.ts';
export { readDigest } from './read-digest.ts';
