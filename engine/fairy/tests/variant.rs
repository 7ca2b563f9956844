//! The definition of a rule set that other programs receive defines the same game.

use fusion_fairy::Definition;
use fusion_fairy::ini::File;
use fusion_fairy::rules::{FairyRules, know_file};
use fusion_game::{RuleSet, Variant};

const FILE: &str = "[cleric-chess:chess]\nbishop = -\ncustomPiece1 = c:NF\n\
    startFen = rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1\n\
    promotionPieceTypes = qrcn\n[child:cleric-chess]\nstalemateValue = loss";

#[test]
fn a_definition_for_other_programs_gives_the_same_game() {
    know_file("told.ini", FILE);
    know_file("named.ini", "[atomic:chess]\nstalemateValue = loss\n[mine:atomic]\n");
    for (text, parent) in [
        ("told.ini#cleric-chess", ":cleric-chess]\n"),
        (
            "told.ini#cleric-chess,castling=no,stalemateValue=win",
            ":cleric-chess]\ncastling = false\n",
        ),
        ("told.ini#child,castling=no", ":child]\ncastling = false\n"),
        ("variants#capablanca,castling=no", ":capablanca]\ncastling = false\n"),
        // Elsewhere, atomic is the built-in game.
        ("named.ini#mine", "]\nmaxRank = 8\n"),
    ] {
        let rules = FairyRules::read(text).unwrap();
        let Variant { name, definition } = rules.variant().unwrap();
        let definition = definition.unwrap();
        assert!(definition.contains(&format!("[{name}{parent}")), "{definition}");
        let file = File::parse("x.ini", &definition).unwrap();
        let found = file.resolve(&name, &[]).unwrap().definition;
        assert_eq!(found, Definition { name, ..rules.definition().clone() }, "{text}");
    }
    let names = ["told.ini#child", "told.ini#child,castling=no"];
    let names = names.map(|text| FairyRules::read(text).unwrap().variant().unwrap().name);
    assert_ne!(names[0], names[1]);
    let crazyhouse = FairyRules::read("variants#crazyhouse").unwrap().variant();
    assert_eq!(crazyhouse, Some(Variant { name: "crazyhouse".into(), definition: None }));
}
