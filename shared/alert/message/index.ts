export { alertEmail } from './alert-email.ts';
export type { AlertFact, AlertMessage, AlertWebChannel } from './alert-message.ts';
export { type AlertAnswer, classifyAlertAnswer } from './classify-alert-answer.ts';
export { type AlertRequest, type AlertTarget, composeAlert, pagerDutyUrl } from './compose-alert.ts';
