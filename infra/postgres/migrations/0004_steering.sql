-- Up Migration

alter table runs
  -- What it was started with, as text, with the dialect and what the command line said over it: an edit begins with it.
  add column definition jsonb;
create index runs_forked on runs ((forked_from ->> 'runId')) where forked_from is not null;

-- Of an edit: the definition that its plan was compiled from.
alter table messages add column definition jsonb;

-- How often it was switched.
alter table sources add column switched int not null default 0;

-- Down Migration

alter table sources drop column switched;
alter table messages drop column definition;
drop index runs_forked;
alter table runs drop column definition;
