CREATE TABLE public.audit_trail (
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    act character varying(16) NOT NULL,
    about character varying(64) NOT NULL,
    version integer NOT NULL,
    author text NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    data character varying(128) NOT NULL,
    told character varying(64) NOT NULL,
    before character varying(64) NOT NULL,
    hash character varying(64) NOT NULL
);
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
INSERT INTO public.audit_trail VALUES (1, '2026-11-23 14:13:53.286018+00', 'proposed', 'd7a43f5b4c014d85ab9deeb313c1074f', 1, 'Ann', '', '', '', '', 'd', 'a3a2eb345276c52b4a21b28087221b2f811ebdf07b4f8666ef02d657792a6ebb', '0000000000000000000000000000000000000000000000000000000000000000', '5bdfc80c849f11aa7ed8dc862b19a16aeae6c348843a7e2ba2f26b854212989b');
INSERT INTO public.audit_trail VALUES (2, '2026-11-23 14:13:53.297759+00', 'changed', 'd7a43f5b4c014d85ab9deeb313c1074f', 2, 'Ann', '', '', '', '', 'd', 'c77a7376e12e08afc3eac667ee18b24bcabddbcd61f242402f514699a6488bbb', '5bdfc80c849f11aa7ed8dc862b19a16aeae6c348843a7e2ba2f26b854212989b', '0d5fa49ee90c4efa51859d76ad238a9e30d6f3af0586c3ee1edd7f742805c649');
INSERT INTO public.audit_trail VALUES (3, '2026-11-23 14:13:53.303906+00', 'agreed', 'd7a43f5b4c014d85ab9deeb313c1074f', 3, 'Bob', '', '', '', '', 'd', '8b3933faf5a9ccb89b94d7a01a01b8b5b7bd788e185a31220b84c53f7b9b4ed8', '0d5fa49ee90c4efa51859d76ad238a9e30d6f3af0586c3ee1edd7f742805c649', '4f9b292fe442a1f43b273d7b8cdaa3e2530112c045f2d4b674efb3046384f814');
INSERT INTO public.audit_trail VALUES (4, '2026-11-23 14:13:53.320573+00', 'released', '467a0a3db18448e6ab034bb758ab9de3', 0, 'Ann', '', '', '', '', 'd', '382cf76f0f5669e6d031ebdd3cdcb44f4507fd5d481d37d1115de16fd3762157', '4f9b292fe442a1f43b273d7b8cdaa3e2530112c045f2d4b674efb3046384f814', 'dbfb8b9bc95c1e9f0cbf882c4665bddfaec59562b0a7a44ecc40b1789dc570db');
INSERT INTO public.audit_trail VALUES (5, '2026-11-23 14:13:53.34048+00', 'limit set', 'e2fa2133b24cb2bbbfd25a5518dfc2de', 1, 'Ann', '', '', '', '', 'd', '441661b066ed0aa4001913f41b1820f71f99b7c71aa21d72b4dc3c0112a502e1', 'dbfb8b9bc95c1e9f0cbf882c4665bddfaec59562b0a7a44ecc40b1789dc570db', '2d110fc53afee125126f792038cf8c8f957ef351e43276427fa761a10b580bd5');
INSERT INTO public.decision_revisions VALUES ('d7a43f5b4c014d85ab9deeb313c1074f', 1, '2026-11-23 14:13:53.200356+00', 'Ann', 'proposed', 'The board asks for the mean age.', '', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO public.decision_revisions VALUES ('d7a43f5b4c014d85ab9deeb313c1074f', 2, '2026-11-23 14:13:53.296375+00', 'Ann', 'proposed', 'The board asks for it by May.', '', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO public.decision_revisions VALUES ('d7a43f5b4c014d85ab9deeb313c1074f', 3, '2026-11-23 14:13:53.302662+00', 'Bob', 'agreed', 'The board asks for it by May.', 'Fine.', 'd', 'people.csv', 1, 0.001, 'now', '[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO public.distpriv_schema VALUES (3);
INSERT INTO public.guesses VALUES ('JYCJVH', 0, '0123456789abcdef0123456789abcdef', 0, 0, 0);
INSERT INTO public.limit_revisions VALUES ('e2fa2133b24cb2bbbfd25a5518dfc2de', 1, '2026-11-23 14:13:53.334545+00', 'Ann', 'Enough for a year.', 'd', 'people.csv', '{
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
INSERT INTO public.releases VALUES (1, '467a0a3db18448e6ab034bb758ab9de3', '2026-11-23 14:13:53.306626+00', 'Ann', 'for the board', 'd', 'people.csv', '{
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
INSERT INTO public.rooms VALUES ('JYCJVH', '888d5f164e9807ac', '2026-11-23 14:13:53.349438+00', '[]', true);
INSERT INTO public.workspaces VALUES ('7217e6fffc07a03c5075fa0047e95958e484353522df809cb3a3ff98db5f828d', '2027-02-21 14:13:53.357375+00', '{
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
   "types": [],
   "reading": {
    "member": "",
    "header": true,
    "undo": [],
    "missing": [],
    "bounds": []
   }
  },
  "kept": [],
  "own": [],
  "choices": {}
 }
}');
SELECT pg_catalog.setval('public.releases_number_seq', 1, true);
ALTER TABLE ONLY public.audit_trail
    ADD CONSTRAINT audit_trail_pkey PRIMARY KEY (number);
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
CREATE INDEX ix_audit_trail_about ON public.audit_trail USING btree (about);
CREATE INDEX ix_decision_revisions_digest ON public.decision_revisions USING btree (digest);
CREATE INDEX ix_limit_revisions_digest ON public.limit_revisions USING btree (digest);
CREATE INDEX ix_releases_digest ON public.releases USING btree (digest);
CREATE INDEX ix_workspaces_until ON public.workspaces USING btree (until);
