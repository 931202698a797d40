/** What the cron builder offers, and the expressions it makes of it. Expressions that it does not offer are custom. */
export type CronChoice =
  | { readonly kind: 'hourly'; readonly every: number; readonly minute: number }
  | { readonly kind: 'daily'; readonly time: string }
  | { readonly kind: 'weekly'; readonly time: string; readonly weekdays: readonly number[] }
  | { readonly kind: 'monthly'; readonly time: string; readonly day: number }
  | { readonly kind: 'custom'; readonly cron: string };

export const everyHours = [1, 2, 3, 4, 6, 8, 12] as const;
/** As cron numbers them, beginning with Monday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 0] as const;
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** Every month has these days. */
export const monthDays = Array.from({ length: 28 }, (_, n) => n + 1);

const isTime = /^([01]?\d|2[0-3]):([0-5]\d)/;

const fieldsOf = (time: string): string => {
  const [, hour = '0', minute = '0'] = isTime.exec(time) ?? [];
  return `${Number(minute)} ${Number(hour)}`;
};

export const cronOf = (choice: CronChoice): string => {
  switch (choice.kind) {
    case 'hourly':
      return `${choice.minute} ${choice.every === 1 ? '*' : `*/${choice.every}`} * * *`;
    case 'daily':
      return `${fieldsOf(choice.time)} * * *`;
    case 'weekly':
      return `${fieldsOf(choice.time)} * * ${[...choice.weekdays].sort((a, b) => a - b).join(',') || '*'}`;
    case 'monthly':
      return `${fieldsOf(choice.time)} ${choice.day} * *`;
    default:
      return choice.cron;
  }
};

const timeOf = (minute: string, hour: string): string => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;

export const choiceOf = (cron: string): CronChoice => {
  const custom: CronChoice = { kind: 'custom', cron };
  const [minute = '', hour = '', day, month, weekday = ''] = cron.split(' ');
  if (!/^\d{1,2}$/.test(minute) || month !== '*') return custom;
  const every = hour === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(hour)?.[1]);
  if (day === '*' && weekday === '*' && everyHours.some((one) => one === every))
    return { kind: 'hourly', every, minute: Number(minute) };
  if (!/^\d{1,2}$/.test(hour)) return custom;
  const time = timeOf(minute, hour);
  if (day === '*' && weekday === '*') return { kind: 'daily', time };
  if (day === '*' && /^[0-6](,[0-6])*$/.test(weekday)) return { kind: 'weekly', time, weekdays: weekday.split(',').map(Number) };
  if (weekday === '*' && monthDays.includes(Number(day))) return { kind: 'monthly', time, day: Number(day) };
  return custom;
};

/** In words; a custom expression as it is. */
export const describeCron = (cron: string): string => {
  const choice = choiceOf(cron);
  switch (choice.kind) {
    case 'hourly': {
      const minute = `:${String(choice.minute).padStart(2, '0')}`;
      return choice.every === 1 ? `Every hour at ${minute}` : `Every ${choice.every} hours at ${minute}`;
    }
    case 'daily':
      return `Every day at ${choice.time}`;
    case 'weekly':
      return `Every ${daysOf(choice.weekdays)} at ${choice.time}`;
    case 'monthly':
      return `Every month on day ${choice.day} at ${choice.time}`;
    default:
      return describeMinutes(cron) ?? cron;
  }
};

const dayList = new Intl.ListFormat('en-GB');

const daysOf = (chosen: readonly number[]): string =>
  dayList.format(
    weekdays
      .filter((day) => chosen.includes(day))
      .map((day) => (chosen.length > 2 ? weekdayNames[day].slice(0, 3) : weekdayNames[day])),
  );

/** Every few minutes: more often than the builder offers. */
const describeMinutes = (cron: string): string | undefined => {
  const [, minutes] = /^\*\/(\d+) \* \* \* \*$/.exec(cron) ?? [];
  return minutes === undefined || 60 % Number(minutes) !== 0 ? undefined : `Every ${minutes} minutes`;
};
