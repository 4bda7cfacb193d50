BEGIN TRANSACTION;
CREATE TABLE audit_trail (
	number INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	act VARCHAR(16) NOT NULL, 
	about VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	author TEXT NOT NULL, 
	issuer TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	email TEXT NOT NULL, 
	role TEXT NOT NULL, 
	data VARCHAR(128) NOT NULL, 
	told VARCHAR(64) NOT NULL, 
	"before" VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "audit_trail" VALUES(1,'2026-11-23 14:13:49.786250','proposed','7ed8aa60dad34c81a8897aa7fc5e4e0e',1,'Ann','','','','','d','7a6edc8e37c5c830ac9f8b0149f6ad8c556cb0fed62eb8947c638d841d8dcc7f','0000000000000000000000000000000000000000000000000000000000000000','1aa64cdfc9e6650effb036a7ac1d814b48182b23a779b7671e2fa461b808281f');
INSERT INTO "audit_trail" VALUES(2,'2026-11-23 14:13:49.794729','changed','7ed8aa60dad34c81a8897aa7fc5e4e0e',2,'Ann','','','','','d','0a8426ff7ffda3e45666b13216d432d67855bd8d7951bbbb7bb5c96629d531bb','1aa64cdfc9e6650effb036a7ac1d814b48182b23a779b7671e2fa461b808281f','19df790d4c420b91c195a9c077d6b65145b0e04e1379c8d8e1cc9992e0c3fac3');
INSERT INTO "audit_trail" VALUES(3,'2026-11-23 14:13:49.799097','agreed','7ed8aa60dad34c81a8897aa7fc5e4e0e',3,'Bob','','','','','d','ece355b2969d424c0f392dd6667985e61ec55844bf8d5e4d13cf30af766fe6ba','19df790d4c420b91c195a9c077d6b65145b0e04e1379c8d8e1cc9992e0c3fac3','1b5443646e519e9e2fb96451f105935ed4f64db1fc57253c1bc1f744e3fb95c7');
INSERT INTO "audit_trail" VALUES(4,'2026-11-23 14:13:49.809470','released','718eafe4eb0a43e0a0797d0f0d62a5f5',0,'Ann','','','','','d','58ea7271f8f627bd9e25c5169036202c43b2d005a6931e6ba93c6f90439e195b','1b5443646e519e9e2fb96451f105935ed4f64db1fc57253c1bc1f744e3fb95c7','7520b82189102b910298591dbe2cc4f9972f98c114c44fe53feb384f99b9791f');
INSERT INTO "audit_trail" VALUES(5,'2026-11-23 14:13:49.822904','limit set','e2fa2133b24cb2bbbfd25a5518dfc2de',1,'Ann','','','','','d','769f8262908d59199449cc8015bc4ac226fd641e84704d0721f47ab5c462942b','7520b82189102b910298591dbe2cc4f9972f98c114c44fe53feb384f99b9791f','1b68ae57c1ce09a3b1ae3cd27ebc90ea0c763c24884b2a3761b2ba56daa2f634');
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
INSERT INTO "decision_revisions" VALUES('7ed8aa60dad34c81a8897aa7fc5e4e0e',1,'2026-11-23 14:13:49.768570','Ann','proposed','The board asks for the mean age.','','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO "decision_revisions" VALUES('7ed8aa60dad34c81a8897aa7fc5e4e0e',2,'2026-11-23 14:13:49.794227','Ann','proposed','The board asks for it by May.','','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
INSERT INTO "decision_revisions" VALUES('7ed8aa60dad34c81a8897aa7fc5e4e0e',3,'2026-11-23 14:13:49.798692','Bob','agreed','The board asks for it by May.','Fine.','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "per_record": "", "promise": "", "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001, "errors": []}]');
CREATE TABLE distpriv_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "distpriv_schema" VALUES(3);
CREATE TABLE guesses (
	code VARCHAR(8) NOT NULL, 
	number INTEGER NOT NULL, 
	student VARCHAR(32) NOT NULL, 
	said INTEGER NOT NULL, 
	share INTEGER NOT NULL, 
	best INTEGER NOT NULL, 
	PRIMARY KEY (code, number, student)
);
INSERT INTO "guesses" VALUES('HJPNPP',0,'0123456789abcdef0123456789abcdef',0,0,0);
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
INSERT INTO "limit_revisions" VALUES('e2fa2133b24cb2bbbfd25a5518dfc2de',1,'2026-11-23 14:13:49.819420','Ann','Enough for a year.','d','people.csv','{
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
INSERT INTO "releases" VALUES(1,'718eafe4eb0a43e0a0797d0f0d62a5f5','2026-11-23 14:13:49.801675','Ann','for the board','d','people.csv','{
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
INSERT INTO "rooms" VALUES('HJPNPP','ae411c193ab63d7f','2026-11-23 14:13:49.830970','[]',1);
CREATE TABLE workspaces (
	name VARCHAR(64) NOT NULL, 
	until DATETIME NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "workspaces" VALUES('7217e6fffc07a03c5075fa0047e95958e484353522df809cb3a3ff98db5f828d','2027-02-21 14:13:49.838585','{
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
CREATE INDEX ix_decision_revisions_digest ON decision_revisions (digest);
CREATE INDEX ix_releases_digest ON releases (digest);
CREATE INDEX ix_limit_revisions_digest ON limit_revisions (digest);
CREATE INDEX ix_audit_trail_about ON audit_trail (about);
CREATE INDEX ix_workspaces_until ON workspaces (until);
COMMIT;
