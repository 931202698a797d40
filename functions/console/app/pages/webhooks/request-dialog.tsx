import { type Delivery, useDeliveryRequest } from '../../data/webhooks.ts';
import { formatCount } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { answerOf, DeliveryState } from '../../parts/delivery-state.tsx';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface RequestDialogProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
  readonly onClose: () => void;
}

/** What the last attempt sent, and what came back. */
export const RequestDialog = ({ webhookId, delivery, onClose }: RequestDialogProps) => {
  const { data, error, refetch } = useDeliveryRequest(webhookId, delivery.id);
  return (
    <Dialog open wide onClose={onClose} title={delivery.eventType}>
      <div className="stack">
        <dl className="facts">
          <Fact label="Status">
            <DeliveryState delivery={delivery} />
          </Fact>
          <Fact label="Answer">{answerOf(delivery) ?? 'None yet'}</Fact>
          <Fact label="Took" className="number">
            {delivery.duration === null ? '–' : formatDuration(delivery.duration)}
          </Fact>
          <Fact label="Attempts" className="number">
            {formatCount(delivery.attempts)}
          </Fact>
          <Fact label="Last attempt">
            <Time at={delivery.lastAttemptAt} none="None yet" />
          </Fact>
          <Fact label="Event id">
            <code className="wrap-anywhere">{delivery.eventId}</code>
          </Fact>
        </dl>
        {error ? (
          <ErrorNotice error={error} title="The request could not be loaded" onRetry={() => void refetch()} />
        ) : data ? (
          <>
            <h3>Request</h3>
            <CodeBlock
              label="Request line and headers"
              code={[`${data.method} ${data.url}`, ...Object.entries(data.headers).map((header) => header.join(': '))].join('\n')}
            />
            <h3>Body</h3>
            <CodeBlock label="Request body" code={indented(data.body)} />
          </>
        ) : (
          <SkeletonText />
        )}
      </div>
    </Dialog>
  );
};

const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
};
