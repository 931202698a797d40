import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { schemaFields } from '../../../../../../shared/docs/schema-fields.ts';
import { paths } from '../../../paths.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { CodeView } from '../code/code-view.tsx';
import type { ServiceEvent } from '../model/read-events.ts';
import { useReference } from '../parts/reference-context.ts';
import { FieldList } from '../reference/field-list.tsx';
import { Guide, Section } from './guide.tsx';

/** Every event with the request that webhooks receive. */
export const EventsGuide = () => {
  const { events } = useReference();
  const families = [...Map.groupBy(events, ({ family }) => family)];
  const headers = new Map(events.flatMap((event) => event.headers.map((one) => [one.name, one.description] as const)));
  return (
    <Guide slug="events">
      <p>
        An event is sent as POST to each enabled <Link to={paths.docsPage('webhooks')}>webhook</Link> that subscribes to it and
        whose filters match, signed with its secret. Answer with any 2xx status within its timeout. Deliveries come at least once
        and in no guaranteed order: the delivery id identifies duplicates. Only the progress of a job is in order: its percentages
        never decrease while you answer 2xx, and a step that a later one has overtaken is skipped.{' '}
        <Link to={paths.docsPage('verify-signatures')}>Verify the signature</Link> before you believe a request.
      </p>
      <ul className="row">
        {events.map(({ id, name }) => (
          <li key={id}>
            <a href={`#${id}`} className="docs-chip">
              {name}
            </a>
          </li>
        ))}
      </ul>
      <Section id="headers" title="Headers">
        <dl className="docs-terms">
          {[...headers].map(([name, description]) => (
            <div key={name}>
              <dt>
                <code className="wrap-anywhere">{name}</code>
              </dt>
              <dd>{description}.</dd>
            </div>
          ))}
        </dl>
      </Section>
      {families.map(([family, of]) => (
        <Section key={family} id={`events-${family}`} title={`${family}.*`}>
          {of.map((event) => (
            <EventSection key={event.id} event={event} />
          ))}
        </Section>
      ))}
    </Guide>
  );
};

const EventSection = ({ event }: { readonly event: ServiceEvent }) => {
  const { resolve } = useReference();
  const [standard] = event.formats;
  const fields = useMemo(() => (standard ? schemaFields(standard.schema, { resolve }) : []), [standard, resolve]);
  return (
    <section id={event.id} className="stack stack--medium docs-event" aria-labelledby={`${event.id}-title`}>
      <h3 id={`${event.id}-title`} className="row docs-event__title">
        <a href={`#${event.id}`}>{event.name}</a>
        {event.formats.length > 1 && <Badge>standard and simple</Badge>}
      </h3>
      <p>{event.summary}.</p>
      <CodeView
        label={`Sample of ${event.name}`}
        samples={event.formats.map(({ name, sample }) => ({ label: `Format ${name}`, language: 'json', code: sample }))}
      />
      <details className="docs-response">
        <summary>Fields of the format standard</summary>
        <FieldList fields={fields} of="response" />
      </details>
    </section>
  );
};
