//! The sessions of the pages that are open.

use fusion_play::Session;
use std::sync::{Arc, Mutex, PoisonError};

/// Most sessions. Each has a transposition table once it has searched.
const MOST: usize = 8;

/// Sessions by name. If there are too many, the one that was not used for longest goes. One that answers
/// a request stays, so that there are never more.
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

    /// Returns the session with a name, a new one if there is none or if it panicked. Returns `None` if
    /// all sessions answer requests of others. A session counts as answering until it is dropped.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Mutex<Session>>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, session)| !session.is_poisoned());
        if let Some(place) = open.iter().position(|(known, _)| known == name) {
            open[place..].rotate_left(1);
        } else {
            if open.len() >= MOST {
                let idle = open.iter().position(|(_, session)| Arc::strong_count(session) == 1)?;
                open.remove(idle);
            }
            // `new` has accepted the networks.
            let session = self.create().or_else(|_| Session::new(&[]));
            let session = session.expect("a session without networks opens");
            open.push((name.to_owned(), Arc::new(Mutex::new(session))));
        }
        open.last().map(|(_, session)| session.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_kept_up_to_a_number() {
        let sessions = Sessions::new(Vec::new()).unwrap();
        let address = |name: &str| Arc::as_ptr(&sessions.get(name).unwrap());
        let first = address("0");
        assert_eq!(first, address("0"));
        for name in 1..MOST {
            address(&name.to_string());
        }
        assert_eq!(first, address("0"));
        address("one more");
        assert_eq!(first, address("0"));
        let weak = Arc::downgrade(&sessions.get("0").unwrap());
        for name in 0..MOST {
            address(&format!("another {name}"));
        }
        assert!(weak.upgrade().is_none());
        assert!(Sessions::new(vec![b"no network".to_vec()]).is_err());
    }

    #[test]
    fn a_session_that_answers_is_not_replaced() {
        let sessions = Sessions::new(Vec::new()).unwrap();
        let mut busy: Vec<_> = (0..MOST).map(|name| sessions.get(&name.to_string())).collect();
        assert!(busy.iter().all(Option::is_some));
        assert!(sessions.get("one more").is_none() && sessions.get("0").is_some());
        busy.pop();
        assert!(sessions.get("one more").is_some());
        assert!(sessions.get(&(MOST - 1).to_string()).is_some());
    }

    #[test]
    fn a_session_that_panicked_is_replaced() {
        let sessions = Sessions::new(Vec::new()).unwrap();
        let broken = sessions.get("").unwrap();
        let held = broken.clone();
        let thread = std::thread::spawn(move || {
            let _guard = held.lock().unwrap();
            panic!("for the test");
        });
        assert!(thread.join().is_err());
        assert!(!Arc::ptr_eq(&broken, &sessions.get("").unwrap()));
    }
}
