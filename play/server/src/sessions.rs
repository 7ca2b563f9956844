//! The sessions of the pages that are open.

use fusion_play::Session;
use std::sync::{Arc, Mutex, PoisonError};

/// Most sessions. Each has a transposition table once it has searched.
const MOST: usize = 8;

/// Sessions by name. If there are too many, the one that was not used for longest goes.
pub(crate) struct Sessions {
    networks: Vec<Vec<u8>>,
    /// The last used one is last.
    open: Mutex<Vec<(String, Arc<Mutex<Session>>)>>,
}

impl Sessions {
    /// Checks the networks, which all sessions share by their bytes.
    pub(crate) fn new(networks: Vec<Vec<u8>>) -> Result<Self, String> {
        let sessions = Self { networks, open: Mutex::default() };
        sessions.create().map(|_| sessions)
    }

    fn create(&self) -> Result<Session, String> {
        let networks: Vec<&[u8]> = self.networks.iter().map(Vec::as_slice).collect();
        Session::new(&networks)
    }

    /// Returns the session with a name, a new one if there is none or if it panicked.
    pub(crate) fn get(&self, name: &str) -> Arc<Mutex<Session>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            open.iter().position(|(known, _)| known == name).map(|place| open.remove(place).1);
        let session = known.filter(|session| !session.is_poisoned()).unwrap_or_else(|| {
            // `new` has accepted the networks.
            let session = self.create().or_else(|_| Session::new(&[]));
            Arc::new(Mutex::new(session.expect("a session without networks opens")))
        });
        if open.len() >= MOST {
            open.remove(0);
        }
        open.push((name.to_owned(), session.clone()));
        session
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_kept_up_to_a_number() {
        let sessions = Sessions::new(Vec::new()).unwrap();
        let first = sessions.get("0");
        assert!(Arc::ptr_eq(&first, &sessions.get("0")));
        for name in 1..MOST {
            sessions.get(&name.to_string());
        }
        assert!(Arc::ptr_eq(&first, &sessions.get("0")));
        sessions.get("one more");
        assert!(Arc::ptr_eq(&first, &sessions.get("0")));
        for name in 0..MOST {
            sessions.get(&format!("another {name}"));
        }
        assert!(!Arc::ptr_eq(&first, &sessions.get("0")));
        assert!(Sessions::new(vec![b"no network".to_vec()]).is_err());
    }

    #[test]
    fn a_session_that_panicked_is_replaced() {
        let sessions = Sessions::new(Vec::new()).unwrap();
        let broken = sessions.get("");
        let held = broken.clone();
        let thread = std::thread::spawn(move || {
            let _guard = held.lock().unwrap();
            panic!("for the test");
        });
        assert!(thread.join().is_err());
        assert!(!Arc::ptr_eq(&broken, &sessions.get("")));
    }
}
