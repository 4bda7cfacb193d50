BEGIN TRANSACTION;
CREATE TABLE decision_revisions (
	decision VARCHAR(32) NOT NULL, 
	version INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	author TEXT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	reason TEXT NOT NULL, 
	comment TEXT NOT NULL, 
	digest VARCHAR(128) NOT NULL, 
	data TEXT NOT NULL, 
	epsilon FLOAT NOT NULL, 
	delta FLOAT NOT NULL, 
	chosen TEXT NOT NULL, 
	alternatives JSON NOT NULL, 
	PRIMARY KEY (decision, version)
);
INSERT INTO "decision_revisions" VALUES('46e92fe808a74b8eb9e16f6b946b4618',1,'2026-11-23 14:13:43.215697','Ann','proposed','The board asks for the mean age.','','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO "decision_revisions" VALUES('46e92fe808a74b8eb9e16f6b946b4618',2,'2026-11-23 14:13:43.236060','Ann','proposed','The board asks for it by May.','','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO "decision_revisions" VALUES('46e92fe808a74b8eb9e16f6b946b4618',3,'2026-11-23 14:13:43.239064','Bob','agreed','The board asks for it by May.','Fine.','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
CREATE TABLE distpriv_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "distpriv_schema" VALUES(2);
CREATE TABLE guesses (
	code VARCHAR(8) NOT NULL, 
	number INTEGER NOT NULL, 
	student VARCHAR(32) NOT NULL, 
	said INTEGER NOT NULL, 
	share INTEGER NOT NULL, 
	best INTEGER NOT NULL, 
	PRIMARY KEY (code, number, student)
);
INSERT INTO "guesses" VALUES('7XCK9R',0,'0123456789abcdef0123456789abcdef',0,0,0);
CREATE TABLE limit_revisions (
	agreement VARCHAR(32) NOT NULL, 
	version INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	author TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	digest VARCHAR(128) NOT NULL, 
	data TEXT NOT NULL, 
	scenario TEXT NOT NULL, 
	terms JSON NOT NULL, 
	PRIMARY KEY (agreement, version)
);
INSERT INTO "limit_revisions" VALUES('e2fa2133b24cb2bbbfd25a5518dfc2de',1,'2026-11-23 14:13:43.255876','Ann','Enough for a year.','d','people.csv','{
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
}','{"accuracy": 0.9, "budget": null, "persons": null}');
CREATE TABLE releases (
	number INTEGER NOT NULL, 
	token VARCHAR(32) NOT NULL, 
	at DATETIME NOT NULL, 
	author TEXT NOT NULL, 
	note TEXT NOT NULL, 
	digest VARCHAR(128) NOT NULL, 
	data TEXT NOT NULL, 
	scenario TEXT NOT NULL, 
	units JSON NOT NULL, 
	"values" JSON NOT NULL, 
	noise JSON NOT NULL, 
	reason TEXT DEFAULT '' NOT NULL, 
	decision VARCHAR(32) DEFAULT '' NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (token)
);
INSERT INTO "releases" VALUES(1,'b4aa034ac62f4bd98488bf6e0e4b6f8e','2026-11-23 14:13:43.241519','Ann','for the board','d','people.csv','{
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
}','["years"]','[38.2]','{"mechanism": "OptM", "distribution": "gaussian", "directions": [[1.0]], "scales": [1.0], "epsilon": 1.0, "delta": 0.001, "calibration": "exact", "floor": null}','A first look.','');
CREATE TABLE rooms (
	code VARCHAR(8) NOT NULL, 
	"key" VARCHAR(32) NOT NULL, 
	at DATETIME NOT NULL, 
	rounds JSON NOT NULL, 
	revealed BOOLEAN NOT NULL, 
	PRIMARY KEY (code)
);
INSERT INTO "rooms" VALUES('7XCK9R','104e74df336b5476','2026-11-23 14:13:43.263955','[]',1);
CREATE TABLE workspaces (
	name VARCHAR(64) NOT NULL, 
	until DATETIME NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "workspaces" VALUES('7217e6fffc07a03c5075fa0047e95958e484353522df809cb3a3ff98db5f828d','2027-02-21 14:13:43.272107','{
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
CREATE INDEX ix_decision_revisions_digest ON decision_revisions (digest);
CREATE INDEX ix_releases_digest ON releases (digest);
CREATE INDEX ix_limit_revisions_digest ON limit_revisions (digest);
CREATE INDEX ix_workspaces_until ON workspaces (until);
COMMIT;
