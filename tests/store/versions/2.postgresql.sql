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
CREATE TABLE public.guesses (
    code character varying(8) NOT NULL,
    number integer NOT NULL,
    student character varying(32) NOT NULL,
    said integer NOT NULL,
    share integer NOT NULL,
    best integer NOT NULL
);
CREATE TABLE public.limit_revisions (
    agreement character varying(32) NOT NULL,
    version integer NOT NULL,
    at timestamp with time zone NOT NULL,
    author text NOT NULL,
    reason text NOT NULL,
    digest character varying(128) NOT NULL,
    data text NOT NULL,
    scenario text NOT NULL,
    terms json NOT NULL
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
    noise json NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    decision character varying(32) DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.releases_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.releases_number_seq OWNED BY public.releases.number;
CREATE TABLE public.rooms (
    code character varying(8) NOT NULL,
    key character varying(32) NOT NULL,
    at timestamp with time zone NOT NULL,
    rounds json NOT NULL,
    revealed boolean NOT NULL
);
CREATE TABLE public.workspaces (
    name character varying(64) NOT NULL,
    until timestamp with time zone NOT NULL,
    content text NOT NULL
);
ALTER TABLE ONLY public.releases ALTER COLUMN number SET DEFAULT nextval('public.releases_number_seq'::regclass);
INSERT INTO public.decision_revisions VALUES ('4c181ee012a745b18d4e08f48f8d56f6', 1, '2026-11-23 14:13:46.833608+00', 'Ann', 'proposed', 'The board asks for the mean age.', '', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO public.decision_revisions VALUES ('4c181ee012a745b18d4e08f48f8d56f6', 2, '2026-11-23 14:13:46.892794+00', 'Ann', 'proposed', 'The board asks for it by May.', '', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO public.decision_revisions VALUES ('4c181ee012a745b18d4e08f48f8d56f6', 3, '2026-11-23 14:13:46.89497+00', 'Bob', 'agreed', 'The board asks for it by May.', 'Fine.', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO public.distpriv_schema VALUES (2);
INSERT INTO public.guesses VALUES ('Y7PPRV', 0, '0123456789abcdef0123456789abcdef', 0, 0, 0);
INSERT INTO public.limit_revisions VALUES ('e2fa2133b24cb2bbbfd25a5518dfc2de', 1, '2026-11-23 14:13:46.920384+00', 'Ann', 'Enough for a year.', 'd', 'people.csv', '{
  "format": "distpriv scenario",
  "version": 1,
  "scenario": {
    "secret": {
      "column": "rich",
      "values": [
        "yes"
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
    "n": 300,
    "whole": true,
    "mechanism": "OptM",
    "epsilon": 1.0,
    "delta": 0.001,
    "calibration": "guarded",
    "units": "raw",
    "report": "raw",
    "tolerances": [],
    "replacement": true,
    "bounds": [],
    "persons": null,
    "seed": 1,
    "view": "analyst",
    "distances": "normals",
    "look": ""
  }
}', '{"accuracy": 0.9, "budget": null, "persons": null}');
INSERT INTO public.releases VALUES (1, '4338a02620574e8fbeebe2940eea2b6c', '2026-11-23 14:13:46.89651+00', 'Ann', 'for the board', 'd', 'people.csv', '{
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
    "persons": null,
    "seed": 1,
    "view": "analyst",
    "distances": "normals",
    "look": ""
  }
}', '["years"]', '[38.2]', '{"mechanism": "OptM", "distribution": "gaussian", "directions": [[1.0]], "scales": [1.0], "epsilon": 1.0, "delta": 0.001, "calibration": "exact", "floor": null}', 'A first look.', '');
INSERT INTO public.rooms VALUES ('Y7PPRV', '1c2e323f304b2c0f', '2026-11-23 14:13:46.932449+00', '[]', true);
INSERT INTO public.workspaces VALUES ('7217e6fffc07a03c5075fa0047e95958e484353522df809cb3a3ff98db5f828d', '2027-02-21 14:13:46.942461+00', '{
 "format": "distpriv workspace",
 "version": 1,
 "workspace": {
  "scenario": {
   "secret": {
    "column": "rich",
    "values": [
     "yes"
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
   "n": 300,
   "whole": true,
   "mechanism": "OptM",
   "epsilon": 1.0,
   "delta": 0.001,
   "calibration": "guarded",
   "units": "raw",
   "report": "raw",
   "tolerances": [],
   "replacement": true,
   "bounds": [],
   "persons": null,
   "seed": 1,
   "view": "analyst",
   "distances": "normals",
   "look": ""
  },
  "source": {
   "title": "people",
   "uploaded": false,
   "records": 0,
   "digest": "",
   "types": []
  },
  "kept": [],
  "own": [],
  "choices": {}
 }
}');
SELECT pg_catalog.setval('public.releases_number_seq', 1, true);
ALTER TABLE ONLY public.decision_revisions
    ADD CONSTRAINT decision_revisions_pkey PRIMARY KEY (decision, version);
ALTER TABLE ONLY public.distpriv_schema
    ADD CONSTRAINT distpriv_schema_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.guesses
    ADD CONSTRAINT guesses_pkey PRIMARY KEY (code, number, student);
ALTER TABLE ONLY public.limit_revisions
    ADD CONSTRAINT limit_revisions_pkey PRIMARY KEY (agreement, version);
ALTER TABLE ONLY public.releases
    ADD CONSTRAINT releases_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.releases
    ADD CONSTRAINT releases_token_key UNIQUE (token);
ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (name);
CREATE INDEX ix_decision_revisions_digest ON public.decision_revisions USING btree (digest);
CREATE INDEX ix_limit_revisions_digest ON public.limit_revisions USING btree (digest);
CREATE INDEX ix_releases_digest ON public.releases USING btree (digest);
CREATE INDEX ix_workspaces_until ON public.workspaces USING btree (until);
