import { useCallback, useEffect, useMemo, useReducer, useState } from 'react';

interface Todo {
  id: string;
  title: string;
  done: boolean;
}

type Action =
  | { type: 'add'; title: string }
  | { type: 'toggle'; id: string }
  | { type: 'remove'; id: string }
  | { type: 'load'; todos: Todo[] };

function reducer(state: Todo[], action: Action): Todo[] {
  switch (action.type) {
    case 'add':
      return [...state, { id: crypto.randomUUID(), title: action.title, done: false }];
    case 'toggle':
      return state.map((todo) => (todo.id === action.id ? { ...todo, done: !todo.done } : todo));
    case 'remove':
      return state.filter((todo) => todo.id !== action.id);
    case 'load':
      return action.todos;
  }
}

export function TodoList({ storageKey = 'todos' }: { storageKey?: string }) {
  const [todos, dispatch] = useReducer(reducer, []);
  const [draft, setDraft] = useState('');
  const open = useMemo(() => todos.filter((todo) => !todo.done).length, [todos]);

  useEffect(() => {
    const saved = localStorage.getItem(storageKey);
    if (saved) dispatch({ type: 'load', todos: JSON.parse(saved) });
  }, [storageKey]);

  const submit = useCallback(() => {
    const title = draft.trim();
    if (title === '') return;
    dispatch({ type: 'add', title });
    setDraft('');
  }, [draft]);

