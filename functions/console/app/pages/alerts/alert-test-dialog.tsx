import { type Alert, useTestAlert } from '../../data/alerts.ts';
import { formatDuration } from '../../format/format-time.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { channelWords, targetWords } from './alert-words.ts';

interface TestDialogProps {
  readonly alert: Alert;
  readonly onClose: () => void;
}

/** What to do about a refusal. */
const adviceOf = (channel: Alert['channel'], status: number | null): string | undefined => {
  if (status === null || channel === 'email') return undefined;
  if (status === 429) return 'It allows no more messages at the moment. Wait a minute, then send again.';
  if (status >= 500) return 'The provider has a problem. Send again later.';
  if (channel === 'pagerduty') return 'Check the integration key, then change the alert.';
  return 'Check that the webhook still exists, create a new one if not, then change the alert.';
};

/** Sends a test and shows what the provider answered. */
export const TestDialog = ({ alert, onClose }: TestDialogProps) => {
  const test = useTestAlert(alert.id);
  const result = test.data;
  const provider = channelWords[alert.channel];
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send a test"
      description={
        alert.channel === 'pagerduty'
          ? 'An informational alert is opened in PagerDuty. Resolve it there afterwards.'
          : 'A message is sent now, marked as a test, even if the alert is disabled.'
      }
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" busy={test.isPending} onClick={() => test.mutate()}>
            {result ? 'Send again' : 'Send test'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="secondary wrap-anywhere">
          To {provider}: {targetWords(alert)}
        </p>
        {test.error && <ErrorNotice error={test.error} />}
        {result && (
          <Notice
            tone={result.success ? 'good' : 'bad'}
            title={[result.success ? 'Sent' : 'Not delivered', result.statusCode && `${provider} answered ${result.statusCode}`]
              .filter(Boolean)
              .join(': ')}
          >
            {[
              result.error && `${result.error}.`,
              result.recipients && `To ${result.recipients.join(', ')}.`,
              !result.success && adviceOf(alert.channel, result.statusCode),
              `It took ${formatDuration(result.duration)}.`,
            ]
              .filter(Boolean)
              .join(' ')}
          </Notice>
        )}
        {result?.response && result.response !== result.error && (
          <CodeBlock label="What the provider answered" code={result.response} />
        )}
      </div>
    </Dialog>
  );
};
