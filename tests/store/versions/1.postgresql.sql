CREATE TABLE public.decision_revisions (
    decision character varying(32) NOT NULL,
    version integer NOT NULL,
    at timestamp with time zone NOT NULL,
    author text NOT NULL,
    status character varying(16) NOT NULL,
    reason text NOT NULL,
    comment text NOT NULL,
    digest character varying(128) NOT NULL,
    data text NOT NULL,
    epsilon double precision NOT NULL,
    delta double precision NOT NULL,
    chosen text NOT NULL,
    alternatives json NOT NULL
);
CREATE TABLE public.distpriv_schema (
    version integer NOT NULL
);
CREATE TABLE public.releases (
    number integer NOT NULL,
    token character varying(32) NOT NULL,
    at timestamp with time zone NOT NULL,
    author text NOT NULL,
    note text NOT NULL,
    digest character varying(128) NOT NULL,
    data text NOT NULL,
    scenario text NOT NULL,
    units json NOT NULL,
    "values" json NOT NULL,
    noise json NOT NULL
);
CREATE SEQUENCE public.releases_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.releases_number_seq OWNED BY public.releases.number;
ALTER TABLE ONLY public.releases ALTER COLUMN number SET DEFAULT nextval('public.releases_number_seq'::regclass);
INSERT INTO public.decision_revisions VALUES ('5717eef2bd1b4833b68afb96a8109e93', 1, '2026-11-23 14:13:40.65271+00', 'Ann', 'proposed', 'The board asks for the mean age.', '', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001}]');
INSERT INTO public.decision_revisions VALUES ('5717eef2bd1b4833b68afb96a8109e93', 2, '2026-11-23 14:13:40.698967+00', 'Ann', 'proposed', 'The board asks for it by May.', '', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001}]');
INSERT INTO public.decision_revisions VALUES ('5717eef2bd1b4833b68afb96a8109e93', 3, '2026-11-23 14:13:40.700972+00', 'Bob', 'agreed', 'The board asks for it by May.', 'Fine.', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001}]');
INSERT INTO public.distpriv_schema VALUES (1);
INSERT INTO public.releases VALUES (1, '939e4c4ec4244cbe9114dea628955ee0', '2026-11-23 14:13:40.70261+00', 'Ann', 'for the board', 'd', 'people.csv', '{
  "format": "distpriv scenario",
  "version": 1,
  "scenario": {
    "secret": {
      "column": "income",
      "values": [
        "high"
      ]
    },
    "query": [
      {
        "kind": "Mean",
        "column": "age"
      }
    ],
    "digest": "d",
    "reference": "",
    "center": 0.5,
    "width": 0.1,
    "grid": null,
    "others": [],
    "n": 100,
    "whole": false,
    "mechanism": "OptM",
    "epsilon": 1.0,
    "delta": 0.001,
    "calibration": "guarded",
    "units": "raw",
    "report": "raw",
    "tolerances": [],
    "replacement": false,
    "bounds": [],
    "seed": 1,
    "view": "analyst",
    "distances": "normals",
    "look": ""
  }
}', '["years"]', '[38.2]', '{"mechanism": "OptM", "distribution": "gaussian", "directions": [[1.0]], "scales": [1.0], "epsilon": 1.0, "delta": 0.001, "calibration": "exact", "floor": null}');
SELECT pg_catalog.setval('public.releases_number_seq', 1, true);
ALTER TABLE ONLY public.decision_revisions
    ADD CONSTRAINT decision_revisions_pkey PRIMARY KEY (decision, version);
ALTER TABLE ONLY public.distpriv_schema
    ADD CONSTRAINT distpriv_schema_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.releases
    ADD CONSTRAINT releases_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.releases
    ADD CONSTRAINT releases_token_key UNIQUE (token);
CREATE INDEX ix_decision_revisions_digest ON public.decision_revisions USING btree (digest);
CREATE INDEX ix_releases_digest ON public.releases USING btree (digest);
