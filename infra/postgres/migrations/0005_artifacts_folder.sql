-- Up Migration

-- The run's folder of artifacts on that host; null where its plan asks for none.
alter table workspaces add column artifacts text;

-- Down Migration

alter table workspaces drop column artifacts;
