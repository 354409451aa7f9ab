-- Up Migration

-- The child runs of a run, in the order in which they were started.
create index runs_parent on runs ((parent ->> 'runId'), run_id) where parent is not null;

-- Files that the next run of the same project and name begins with; the last run that kept any wins.
create table kept_files (
  project text not null,
  name text not null,
  -- [{path, sha256, bytes, executable}], contents in the artifact store.
  files jsonb not null,
  run_id text collate "C" not null,
  kept_at timestamptz not null default now(),
  primary key (project, name)
);

-- Down Migration

drop table kept_files;
drop index runs_parent;
