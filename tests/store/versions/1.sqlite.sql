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
INSERT INTO "decision_revisions" VALUES('8ff32c7979734083ab51d3d38800c3b4',1,'2026-11-23 14:13:37.205137','Ann','proposed','The board asks for the mean age.','','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001}]');
INSERT INTO "decision_revisions" VALUES('8ff32c7979734083ab51d3d38800c3b4',2,'2026-11-23 14:13:37.224054','Ann','proposed','The board asks for it by May.','','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001}]');
INSERT INTO "decision_revisions" VALUES('8ff32c7979734083ab51d3d38800c3b4',3,'2026-11-23 14:13:37.227062','Bob','agreed','The board asks for it by May.','Fine.','d','people.csv',1.0,0.001,'now','[{"undefended": 0.76, "accuracy": 0.58, "error": 8.15, "unit": "", "promised": 0.001, "delivered": null, "name": "now", "scenario": "{\"of\": 1.0}", "mechanism": "OptM", "epsilon": 1.0, "delta": 0.001}]');
CREATE TABLE distpriv_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "distpriv_schema" VALUES(1);
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
	PRIMARY KEY (number), 
	UNIQUE (token)
);
INSERT INTO "releases" VALUES(1,'ad014f1ee49f4448a699e179d7aec795','2026-11-23 14:13:37.229985','Ann','for the board','d','people.csv','{
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
}','["years"]','[38.2]','{"mechanism": "OptM", "distribution": "gaussian", "directions": [[1.0]], "scales": [1.0], "epsilon": 1.0, "delta": 0.001, "calibration": "exact", "floor": null}');
CREATE INDEX ix_decision_revisions_digest ON decision_revisions (digest);
CREATE INDEX ix_releases_digest ON releases (digest);
COMMIT;
