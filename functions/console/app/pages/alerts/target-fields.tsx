import type { ReactNode } from 'react';
import { alertRecipientsMax } from '../../../../../shared/contract/limits.ts';
import { Choice } from '../../ui/form/choice.tsx';
import { Checkbox, Input, Textarea } from '../../ui/form/field.tsx';
import type { AlertDraft } from './alert-draft.ts';

interface TargetFieldsProps {
  readonly draft: AlertDraft;
  readonly set: (changes: Partial<AlertDraft>) => void;
  /** What is stored already; undefined for a new alert. */
  readonly stored: { readonly url: string | null; readonly routingKey: string | null } | undefined;
  readonly errorOf: (field: string) => string | undefined;
}

/** Where the messages of the chosen channel go, and how to get its address. */
export const TargetFields = (props: TargetFieldsProps) => {
  const { channel } = props.draft;
  if (channel === 'email') return <EmailFields {...props} />;
  if (channel === 'pagerduty') return <PagerDutyFields {...props} />;
  return <ChatFields {...props} channel={channel} />;
};

const EmailFields = ({ draft, set, errorOf }: TargetFieldsProps) => (
  <>
    <Choice
      label="Recipients"
      value={draft.recipients}
      onChange={(recipients) => set({ recipients })}
      options={[
        ['owners', 'The owner of the organization', 'The person who owns it when a message is sent.'],
        ['admins', 'The owner and all admins'],
        ['addresses', 'These addresses'],
      ]}
    />
    {draft.recipients === 'addresses' && (
      <Textarea
        label="E-mail addresses"
        required
        rows={3}
        placeholder="on-call@example.com"
        hint={`One per line, at most ${alertRecipientsMax}.`}
        value={draft.addresses}
        onChange={({ target }) => set({ addresses: target.value })}
        error={errorOf('recipients')}
      />
    )}
    <Checkbox
      label="Also send the weekly digest"
      hint="Every Monday at 08:00 in the time zone of the organization: what is protected, what is not and why, what failed, and what it cost."
      checked={draft.digest}
      onChange={({ target }) => set({ digest: target.checked })}
    />
  </>
);

interface ChatWords {
  readonly placeholder: string;
  /** How to get the URL, as items of a list. */
  readonly steps: ReactNode;
}

const chats: Readonly<Record<'slack' | 'teams' | 'discord', ChatWords>> = {
  slack: {
    placeholder: 'https://hooks.slack.com/services/…',
    steps: (
      <>
        <li>
          On <code>api.slack.com/apps</code> create an app for your workspace, or open one.
        </li>
        <li>
          Open <b>Incoming Webhooks</b>, switch them on and choose <b>Add New Webhook</b>.
        </li>
        <li>Choose the channel, then copy the webhook URL.</li>
      </>
    ),
  },
  teams: {
    placeholder: 'https://….powerplatform.com/…/workflows/…',
    steps: (
      <>
        <li>
          In Teams, open the menu <b>⋯</b> beside the channel and choose <b>Workflows</b>.
        </li>
        <li>
          Choose the template <b>Send webhook alerts to a channel</b>. Anyone must be allowed to trigger it.
        </li>
        <li>Choose team and channel, then copy the URL that is shown at the end.</li>
      </>
    ),
  },
  discord: {
    placeholder: 'https://discord.com/api/webhooks/…',
    steps: (
      <>
        <li>
          Open the settings of the channel, then <b>Integrations</b> and <b>Webhooks</b>.
        </li>
        <li>
          Choose <b>New Webhook</b>, then <b>Copy Webhook URL</b>.
        </li>
      </>
    ),
  },
};

const ChatFields = ({ draft, set, stored, errorOf, channel }: TargetFieldsProps & { channel: keyof typeof chats }) => (
  <>
    <ol className="alerts__steps">{chats[channel].steps}</ol>
    <Input
      label="Webhook URL"
      type="url"
      mono
      required={!stored}
      placeholder={stored?.url ?? chats[channel].placeholder}
      hint={
        stored
          ? 'Leave it empty to keep the stored one, which is not shown again.'
          : 'It is a secret: stored encrypted and not shown again.'
      }
      value={draft.url}
      onChange={({ target }) => set({ url: target.value })}
      error={errorOf('url')}
    />
  </>
);

const PagerDutyFields = ({ draft, set, stored, errorOf }: TargetFieldsProps) => (
  <>
    <ol className="alerts__steps">
      <li>
        In PagerDuty, open the service and its tab <b>Integrations</b>.
      </li>
      <li>
        Add the integration <b>Events API V2</b> and copy its <b>integration key</b>.
      </li>
    </ol>
    <Input
      label="Integration key"
      mono
      required={!stored}
      placeholder={stored?.routingKey ?? '32 letters and digits'}
      hint={
        stored
          ? 'Leave it empty to keep the stored one, which is not shown again.'
          : 'It is a secret: stored encrypted and not shown again.'
      }
      value={draft.routingKey}
      onChange={({ target }) => set({ routingKey: target.value })}
      error={errorOf('routingKey')}
    />
    <Input
      label="Endpoint"
      optional
      type="url"
      mono
      placeholder={stored?.url ?? 'https://events.pagerduty.com/v2/enqueue'}
      hint="Only for another region, such as https://events.eu.pagerduty.com/v2/enqueue."
      value={draft.url}
      onChange={({ target }) => set({ url: target.value })}
      error={errorOf('url')}
    />
  </>
);
